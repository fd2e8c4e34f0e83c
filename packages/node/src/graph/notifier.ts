import { setTimeout } from 'node:timers/promises';
import type { Command, Notification } from '@signalbox/engine';
import type { NotifyTarget } from '@signalbox/protocol';
import type { NodeContext } from '../context.ts';
import { postWebhook } from './post-webhook.ts';
import { webhookHeaders } from './sign-webhook.ts';
import { webhookSecret } from './webhook-secret.ts';

/** After so many tries nobody is home: twelve of them take about three hours. */
const TRIES = 12;
const FIRST_DELAY_MS = 1_000;
const DELAY_MS_MAX = 1_800_000;
/** Between the tries to record that it was delivered. */
const CLOSE_MS = 1_000;

interface Due {
  readonly partition: number;
  readonly notification: Notification;
}

/**
 * Tells the outside of ends and alerts, at least once: the engine keeps a notification open until it
 * hears that it was delivered, and hands it out again after a crash. The id is the same every time,
 * so that a receiver knows what it has seen (DAG-27, HTP-06).
 */
export class Notifier {
  readonly #context: () => NodeContext;
  readonly #delays: readonly number[];
  readonly #busy = new Set<string>();
  readonly #stop = new AbortController();

  constructor(context: () => NodeContext, delays: readonly number[] = backOff()) {
    this.#context = context;
    this.#delays = delays;
  }

  stop(): void {
    this.#stop.abort();
  }

  notify(due: Due): void {
    const { id } = due.notification;
    if (this.#busy.has(id)) return;
    this.#busy.add(id);
    void this.#deliver(due)
      .catch((error) => this.#context().log.error({ err: error, id }, 'a notification failed'))
      .finally(() => this.#busy.delete(id));
  }

  async #deliver({ partition, notification }: Due): Promise<void> {
    const { id } = notification;
    const targets = await this.#findTargets({ partition, notification });
    if (targets === null) return;
    const results = await Promise.all(
      targets.map(({ url }) => this.#retried(() => this.#post(url, notification), notification)),
    );
    if (this.#stop.signal.aborted) return;
    const delivered = results.every((result) => result !== null);
    if (!delivered) this.#context().log.warn({ id }, 'a notification was given up');
    await this.#close({ kind: 'notified', partition, id, delivered });
  }

  /**
   * Said again until it is taken in, for as long as this node has the notification open. Left open because
   * the store was away for a moment, it would stay in memory and be sent again by the next owner, days later.
   */
  async #close(command: Command & { kind: 'notified' }): Promise<void> {
    while (this.#isOpen(command.partition, command.id)) {
      const answer = await this.#context().loop.execute(command);
      if (answer.kind !== 'refused') return;
      await this.#pause(CLOSE_MS);
    }
  }

  async #targetsOf({ tenant, job, version, on }: Notification): Promise<readonly NotifyTarget[]> {
    const { specs } = this.#context().loop;
    const spec = await specs.load({ tenant, job, version });
    const definition = specs.definitionOf(spec) as {
      notify?: Record<string, NotifyTarget[]>;
    } | null;
    return definition?.notify?.[FIELDS[on]] ?? [];
  }

  async #post(url: string, notification: Notification): Promise<true> {
    const context = this.#context();
    const { id, tenant } = notification;
    const body = bodyOf(notification);
    const secret = await webhookSecret(context.store, tenant);
    const headers = webhookHeaders({ secret, id, atSeconds: Math.floor(Date.now() / 1_000), body });
    const posted = await postWebhook({ url, headers, body, targets: context.httpTargets ?? {} });
    if (!posted.ok) throw new Error(posted.why);
    return true;
  }

  /** However long the store is away: that is not the receiver's fault. Null where nobody waits for it here. */
  async #findTargets({ partition, notification }: Due): Promise<readonly NotifyTarget[] | null> {
    while (this.#isOpen(partition, notification.id)) {
      const targets = await this.#retried(() => this.#targetsOf(notification), notification);
      if (targets !== null) return targets;
    }
    return null;
  }

  /** This node runs, has the partition, and has not been told that the notification is done with. */
  #isOpen(partition: number, id: string): boolean {
    if (this.#stop.signal.aborted) return false;
    const book = this.#context().loop.engine.core.books.get(partition);
    return book?.notifications.has(id) ?? false;
  }

  async #pause(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { signal: this.#stop.signal, ref: false }).catch(() => {});
  }

  /** Null where it was given up, or the node stops. */
  async #retried<T>(work: () => Promise<T>, { id }: Notification): Promise<T | null> {
    const { signal } = this.#stop;
    for (const delayMs of this.#delays) {
      if (signal.aborted) return null;
      try {
        return await work();
      } catch (error) {
        this.#context().log.debug({ err: error, id }, 'a notification is tried again');
      }
      await this.#pause(delayMs);
    }
    return null;
  }
}

const FIELDS = { success: 'onSuccess', failure: 'onFailure', alert: 'onAlert' } as const;

/** What the receiver reads. The id stays the same when it is sent again. */
function bodyOf({ id, on, at, run, job, version, state, detail }: Notification): string {
  const type = on === 'alert' ? 'run.alert' : `run.${state.toLowerCase()}`;
  const data = { run, job, jobVersion: version, state, ...(detail === '' ? {} : { detail }) };
  return JSON.stringify({ id, type, timestamp: new Date(at).toISOString(), data });
}

function backOff(): number[] {
  return Array.from({ length: TRIES }, (_, i) => Math.min(FIRST_DELAY_MS * 3 ** i, DELAY_MS_MAX));
}
