import type { Reason, RunState } from '@signalbox/engine';
import type { MetricSet } from './definitions.ts';

/** What is counted of one job, or of all jobs beyond the bound together. */
export class JobCounts {
  readonly #set: MetricSet;
  readonly #tenant: string;
  readonly #job: string;

  constructor(params: { set: MetricSet; tenant: string; job: string }) {
    this.#set = params.set;
    this.#tenant = params.tenant;
    this.#job = params.job;
  }

  runEnded(seconds: number, state: RunState): void {
    this.#set.jobRunDuration.of(this.#tenant, this.#job, state).observe(seconds);
  }

  failed(reason: Reason): void {
    this.#set.jobFailures.of(this.#tenant, this.#job, reason).add();
  }
}
