import type { JobCounts } from './job-counts.ts';
import type { TenantClassCounts } from './tenant-class-counts.ts';

/** Where a run is counted when it ends. */
export interface RunCounts {
  readonly tenant: string;
  readonly class: TenantClassCounts;
  /** Null where metrics do not name jobs. */
  readonly job: JobCounts | null;
}
