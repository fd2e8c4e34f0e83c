import { setTimeout } from 'node:timers/promises';
import type { Answer, Notification } from '@signalbox/engine';
import type { NotifyTarget } from '@signalbox/protocol';
import type { NodeContext } from '../context/node-context.ts';
import { postWebhook } from './post-webhook.ts';
import { webhookHeaders } from './sign-webhook.ts';
import { webhookSecret } from './webhook-secret.ts';

/** Maximum number of tries; twelve take about three hours. */
const TRIES = 12;
const FIRST_DELAY_MS = 1_000;
const DELAY_MS_MAX = 1_800_000;
/** Whether a refusal is temporary, so that the result of a delivery is reported again. */
const TRY_AGAIN: Readonly<Record<(Answer & { kind: 'refused' })['code'], boolean>> = {
  not_owner: false,
  not_found: false,
  invalid: false,
  overloaded: true,
  unavailable: true,
  unknown: true,
  damaged: false,
  key_reserved: false,
};

interface Due {
  readonly partition: number;
  readonly notification: Notification;
}

/**
 * Sends ends and alerts to webhooks, at least once: the engine keeps a notification open until its delivery is
 * recorded, and releases it again after a crash. The id stays the same, so that a receiver recognizes repetition
 * (DAG-27, HTP-06).
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
      .catch((error) => {
        const fields = { event: 'notification.failed', err: error, id } as const;
        this.#context().log.error(fields, 'notification failed');
      })
      .finally(() => this.#busy.delete(id));
  }

  async #deliver({ partition, notification }: Due): Promise<void> {
    const { id } = notification;
    const targets = await this.#untilDone(() => this.#targetsOf(notification), notification);
    if (targets === null) return;
    const results = await Promise.all(
      targets.map(({ url }) => this.#retried(() => this.#post(url, notification), notification)),
    );
    if (this.#stop.signal.aborted) return;
    const delivered = results.every((result) => result !== null);
    if (!delivered) {
      const fields = { event: 'notification.failed', id } as const;
      this.#context().log.warn(fields, 'notification not delivered');
    }
    // Without this record the run would stay open, and the next owner would send the notification again.
    await this.#untilDone(async () => {
      const { loop } = this.#context();
      const answer = await loop.execute({ kind: 'notified', partition, id, delivered });
      if (answer.kind === 'refused' && TRY_AGAIN[answer.code]) throw new Error(answer.message);
      return true;
    }, notification);
  }

  /** Retries work of this node, which succeeds as soon as store and loop do. Null when the node stops. */
  async #untilDone<T>(work: () => Promise<T>, notification: Notification): Promise<T | null> {
    while (!this.#stop.signal.aborted) {
      const done = await this.#retried(work, notification);
      if (done !== null || this.#delays.length === 0) return done;
    }
    return null;
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
    const secret = await webhookSecret(context, tenant);
    const headers = webhookHeaders({ secret, id, atSeconds: Math.floor(Date.now() / 1_000), body });
    const posted = await postWebhook({ url, headers, body, targets: context.httpTargets ?? {} });
    if (!posted.ok) throw new Error(posted.why);
    return true;
  }

  /** Null if all tries failed, or the node stops. */
  async #retried<T>(work: () => Promise<T>, { id }: Notification): Promise<T | null> {
    const { signal } = this.#stop;
    for (const delayMs of this.#delays) {
      if (signal.aborted) return null;
      try {
        return await work();
      } catch (error) {
        const fields = { event: 'notification.retried', err: error, id } as const;
        this.#context().log.debug(fields, 'notification retried');
      }
      await setTimeout(delayMs, undefined, { signal, ref: false }).catch(() => {});
    }
    return null;
  }
}

const FIELDS = { success: 'onSuccess', failure: 'onFailure', alert: 'onAlert' } as const;

/** The body for the receiver. The id stays the same when it is sent again. */
function bodyOf({ id, on, at, tenant, run, job, version, state, detail }: Notification): string {
  const type = on === 'alert' ? 'run.alert' : `run.${state.toLowerCase()}`;
  const what = { tenant, run, job, jobVersion: version, state };
  const data = { ...what, ...(detail === '' ? {} : { detail }) };
  return JSON.stringify({ id, type, timestamp: new Date(at).toISOString(), data });
}

function backOff(): number[] {
  return Array.from({ length: TRIES }, (_, i) => Math.min(FIRST_DELAY_MS * 3 ** i, DELAY_MS_MAX));
}
