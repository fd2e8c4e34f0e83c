import { PLATFORM } from '@signalbox/protocol';
import { type Definition, definitionBytes, readPages, type Store } from '@signalbox/store';
import { ApiError } from '../../errors/api-error.ts';
import { type CommitLoop, PollBackOff } from '../../loop/index.ts';
import type { Logger } from '../../settings/log-events.ts';
import { applyTenant, TENANT_KIND, tenantOf } from './tenants.ts';

const PAGE = 500;
/** A node without others takes one poll in this many. */
const ALONE_EVERY = 10;

/**
 * Applies the definitions of tenants in the engine: on start, before anything is dispatched, and periodically,
 * because other nodes accept changes too.
 */
export class TenantWatch {
  readonly #store: Store;
  readonly #loop: CommitLoop;
  readonly #log: Logger;
  /** The applied version of each tenant. */
  readonly #applied = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  readonly #backOff = new PollBackOff(ALONE_EVERY);
  #polling = false;

  constructor(params: { store: Store; loop: CommitLoop; log: Logger }) {
    this.#store = params.store;
    this.#loop = params.loop;
    this.#log = params.log;
  }

  start(everyMs: number): void {
    this.#timer = setInterval(() => void this.#pollIfDue(), everyMs);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** Also applies deletions, which reset the tenant to its defaults. */
  async poll(): Promise<void> {
    const query = { tenant: PLATFORM, kind: TENANT_KIND, includeDeleted: true };
    const pages = readPages<Definition>({
      limit: PAGE,
      bytesOf: definitionBytes,
      read: (after, limits) =>
        this.#store.listDefinitions({ ...query, after: after?.name ?? null, ...limits }),
    });
    for await (const page of pages) {
      const changes = page.filter(({ name, version }) => this.#applied.get(name) !== version);
      await Promise.all(changes.map((definition) => this.#apply(definition)));
    }
  }

  async #apply(definition: Definition): Promise<void> {
    const { name, version, deleted } = definition;
    try {
      await applyTenant(this.#loop, name, deleted ? {} : tenantOf(definition).definition);
    } catch (error) {
      if (!isPermanent(error)) throw error;
      // A version of Signalbox with wider limits may have stored it. It must not prevent a node from starting, or
      // later tenants from being read.
      const fields = { err: error, tenant: name, version };
      this.#log.error({ event: 'tenant.refused', ...fields }, 'tenant definition ignored');
    }
    this.#applied.set(name, version);
  }

  async #pollIfDue(): Promise<void> {
    if (this.#polling || !this.#backOff.isDue(this.#loop.leases.isAlone)) return;
    this.#polling = true;
    try {
      await this.poll();
    } catch (error) {
      // The next poll retries; until then the old weights apply.
      const fields = { err: error, kind: 'tenant' };
      this.#log.debug(
        { event: 'definitions.read_failed', ...fields },
        'definitions cannot be read',
      );
    } finally {
      this.#polling = false;
    }
  }
}

/** The definition itself is wrong; any other error may pass at the next poll. */
function isPermanent(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof ApiError && error.code === 'invalid');
}
