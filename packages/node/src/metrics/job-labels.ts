import { OTHER } from './bounded-label.ts';
import type { MetricSet } from './definitions.ts';
import { JobCounts } from './job-counts.ts';

/**
 * The counts of jobs by name, for the first `max` of them; the others are counted as `other` of their
 * tenant. Names of jobs are other people's text, and each is several series for as long as the process
 * lives, so that nothing is counted by job unless an operator asks for it.
 */
export class JobLabels {
  readonly #set: MetricSet;
  readonly #max: number;
  readonly #tenant: (name: string) => string;
  /** By tenant, then by job. */
  readonly #counts = new Map<string, Map<string, JobCounts>>();
  #named = 0;

  constructor(params: { set: MetricSet; max: number; tenant: (name: string) => string }) {
    this.#set = params.set;
    this.#max = params.max;
    this.#tenant = params.tenant;
  }

  of(tenantName: string, job: string): JobCounts | null {
    if (this.#max === 0) return null;
    const tenant = this.#tenant(tenantName);
    const jobs = this.#counts.get(tenant) ?? new Map<string, JobCounts>();
    this.#counts.set(tenant, jobs);
    const known = jobs.get(job);
    if (known !== undefined) return known;
    if (this.#named < this.#max) {
      this.#named += 1;
      return this.#make(jobs, tenant, job);
    }
    return jobs.get(OTHER) ?? this.#make(jobs, tenant, OTHER);
  }

  #make(jobs: Map<string, JobCounts>, tenant: string, job: string): JobCounts {
    const counts = new JobCounts({ set: this.#set, tenant, job });
    jobs.set(job, counts);
    return counts;
  }
}
