import type { Attempt, Engine } from '@signalbox/engine';
import { type Ref, RefMap } from '@signalbox/protocol';
import type { RefusedReport, ReportKind } from '../operations/audit/refused-reports.ts';
import { liveAttempt } from './wire-ref.ts';

type Doubt = Pick<RefusedReport, 'report' | 'reason'>;

const DOUBTS_MAX = 1_000;

/**
 * Reports of one connection that matched no live attempt when they arrived. The engine decides later, and
 * refuses some of them: a result that is sent twice is confirmed twice.
 */
export class DoubtfulReports {
  readonly #engine: Engine;
  readonly #byRef = new RefMap<Doubt>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Notes the report if it matches no live attempt. Returns it if the engine ignores it without an answer. */
  note(
    worker: string,
    report: ReportKind,
    about: { ref: Ref; attempt: Attempt | null },
  ): Doubt | null {
    const { ref, attempt } = about;
    if (attempt !== null && attempt.task.attempt === attempt) return null;
    const book = this.#engine.core.books.get(ref[0]);
    // Only the owner of the partition knows.
    if (book === undefined || liveAttempt(this.#engine, worker, ref) !== null) return null;
    if (ref[4] > book.epoch) return { report, reason: 'the epoch is in the future' };
    if (this.#byRef.size >= DOUBTS_MAX) this.#byRef.clear();
    this.#byRef.set(ref, { report, reason: this.#reasonOf(worker, ref) });
    return null;
  }

  /** The engine has refused a report of the attempt. */
  take(ref: Ref): Doubt | undefined {
    return this.#byRef.delete(ref);
  }

  #reasonOf(worker: string, ref: Ref): string {
    const [partition, seq, task, number, epoch] = ref;
    const run = this.#engine.core.books.get(partition)?.runs.get(seq);
    const attempt = run?.tasks[task]?.attempt ?? null;
    if (attempt === null) return 'the task has no running attempt';
    if (attempt.number !== number) return 'another attempt of the task is running';
    if (attempt.workerName !== worker) return 'the attempt runs on another worker';
    return attempt.epoch === epoch ? 'the token is wrong' : 'the epoch is wrong';
  }
}
