import { PLATFORM } from '@signalbox/protocol';
import { type Definition, definitionBytes, readPages, type Store } from '@signalbox/store';
import { ApiError } from '../../errors/api-error.ts';
import { type CommitLoop, Looks } from '../../loop/index.ts';
import type { Logger } from '../../settings/log-events.ts';
import { applyTenant, TENANT_KIND, tenantOf } from './tenants.ts';

const PAGE = 500;
const LOOKS_ALONE = 10;

/**
 * Keeps the loop told of the tenants that are defined: on start, before anything is scheduled, and
 * now and then afterwards, because a change may have been made through another node.
 */
export class TenantWatch {
  readonly #store: Store;
  readonly #loop: CommitLoop;
  readonly #log: Logger;
  /** The version of each tenant that the loop was last told of by us. */
  readonly #told = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  readonly #looks = new Looks(LOOKS_ALONE);
  #looking = false;

  constructor(params: { store: Store; loop: CommitLoop; log: Logger }) {
    this.#store = params.store;
    this.#loop = params.loop;
    this.#log = params.log;
  }

  start(everyMs: number): void {
    this.#timer = setInterval(() => void this.#lookAgain(), everyMs);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** Deleted ones as well, once they were known: the loop has to forget what was said. */
  async look(): Promise<void> {
    const query = { tenant: PLATFORM, kind: TENANT_KIND, includeDeleted: true };
    const pages = readPages<Definition>({
      limit: PAGE,
      bytesOf: definitionBytes,
      read: (after, limits) =>
        this.#store.listDefinitions({ ...query, after: after?.name ?? null, ...limits }),
    });
    for await (const page of pages) {
      const news = page.filter(({ name, version }) => this.#told.get(name) !== version);
      await Promise.all(news.map((definition) => this.#tell(definition)));
    }
  }

  async #tell(definition: Definition): Promise<void> {
    const { name, version, deleted } = definition;
    try {
      await applyTenant(this.#loop, name, deleted ? {} : tenantOf(definition).definition);
    } catch (error) {
      if (!isForGood(error)) throw error;
      // Another version may have stored it under wider limits. It must not keep a node from starting, nor
      // the tenants behind it from being read.
      const fields = { err: error, tenant: name, version };
      this.#log.error({ event: 'tenant.refused', ...fields }, 'tenant definition ignored');
    }
    this.#told.set(name, version);
  }

  async #lookAgain(): Promise<void> {
    if (this.#looking || !this.#looks.isDue(this.#loop.leases.isAlone)) return;
    this.#looking = true;
    try {
      await this.look();
    } catch (error) {
      // The next look asks again; meanwhile the old weights hold.
      const fields = { err: error, kind: 'tenant' };
      this.#log.debug(
        { event: 'definitions.read_failed', ...fields },
        'definitions cannot be read',
      );
    } finally {
      this.#looking = false;
    }
  }
}

/** The definition itself is wrong; anything else may pass at the next look. */
function isForGood(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof ApiError && error.code === 'invalid');
}
