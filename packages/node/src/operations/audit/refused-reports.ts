import { type FromWorker, PLATFORM, type Ref } from '@signalbox/protocol';
import type { Audit, Caller } from '../../context/index.ts';

/** The key that a connection was opened with, and the address that it was opened from. */
export interface Origin {
  readonly key: string;
  readonly ip: string;
}

export type ReportKind = (FromWorker & {
  kind: 'accept' | 'finish' | 'checkpoint' | 'extend' | 'log';
})['kind'];

/** A report of an attempt that the worker does not run, or no longer runs. */
export interface RefusedReport {
  readonly worker: string;
  /** Null for a worker in the process of the node. */
  readonly origin: Origin | null;
  readonly report: ReportKind;
  readonly ref: Ref;
  readonly reason: string;
}

const WINDOW_MS = 60_000;
const PER_WORKER = 10;
const PER_NODE = 50;

/** A worker in the process of the node has no key. */
const EMBEDDED: Origin = { key: 'embedded', ip: '' };

/**
 * Writes refused reports of workers to the audit log of the platform. Bounded: beyond ten entries of a worker
 * and 50 of the node in a minute, reports are only counted, and one entry at the end of the minute has the count.
 */
export class RefusedReports {
  readonly #audit: Pick<Audit, 'record'>;
  readonly #windowMs: number;
  readonly #byWorker = new Map<string, number>();
  #written = 0;
  #suppressed = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    audit: Pick<Audit, 'record'>,
    { windowMs = WINDOW_MS }: { readonly windowMs?: number } = {},
  ) {
    this.#audit = audit;
    this.#windowMs = windowMs;
  }

  add({ worker, origin, report, ref, reason }: RefusedReport): void {
    this.#timer ??= setTimeout(() => void this.#endWindow(), this.#windowMs).unref();
    const ofWorker = this.#byWorker.get(worker) ?? 0;
    if (ofWorker >= PER_WORKER || this.#written >= PER_NODE) {
      this.#suppressed++;
      return;
    }
    this.#byWorker.set(worker, ofWorker + 1);
    this.#written++;
    // Without the token: its knowledge is enough to report in the name of the worker.
    const [partition, seq, task, attempt, epoch] = ref;
    const after = { report, partition, seq, task, attempt, epoch };
    void this.#write({ target: worker, after, reason, origin: origin ?? EMBEDDED });
  }

  /** Writes the count of the minute that has begun. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#endWindow();
  }

  async #endWindow(): Promise<void> {
    const suppressed = this.#suppressed;
    this.#timer = null;
    this.#byWorker.clear();
    this.#written = 0;
    this.#suppressed = 0;
    if (suppressed === 0) return;
    const reason = `${suppressed} more reports were refused and have no entry`;
    await this.#write({
      target: '*',
      after: { suppressed },
      reason,
      origin: { key: 'node', ip: '' },
    });
  }

  async #write(entry: {
    readonly target: string;
    readonly after: object;
    readonly reason: string;
    readonly origin: Origin;
  }): Promise<void> {
    const { target, after, reason, origin } = entry;
    const of = { tenant: PLATFORM, role: 'worker', platform: true, requestId: '' } as const;
    const caller: Caller = { ...of, ...origin };
    const action = 'worker.report_refused';
    try {
      await this.#audit.record({ caller, action, target, after: JSON.stringify(after), reason });
    } catch {
      // The audit log keeps an entry that the store did not take, and writes it later.
    }
  }
}
