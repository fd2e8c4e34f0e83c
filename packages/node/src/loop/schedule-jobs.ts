import {
  type Command,
  type Engine,
  type JobHead,
  partitionOf,
  type Schedule,
  scheduleKey,
} from '@signalbox/engine';
import type { Definition, StoreError } from '@signalbox/store';
import type { SetSchedule } from './adoption.ts';
import { asStoreError } from './committer.ts';
import type { LoopPorts } from './ports.ts';
import type { Specs } from './specs.ts';

const JOBS_AT_ONCE = 32;

interface JobsParams {
  readonly ports: LoopPorts;
  readonly engine: Engine;
  readonly specs: Specs;
  readonly partitions: number;
  deliver(command: Command): void;
  storeFailed(error: StoreError): void;
}

interface JobRef {
  readonly partition: number;
  readonly tenant: string;
  readonly job: string;
}

/** Reads the jobs that schedules start, and hands their newest versions to the engine. */
export class ScheduleJobs {
  readonly #p: JobsParams;
  readonly #reading = new Set<string>();
  #stopped = false;

  constructor(params: JobsParams) {
    this.#p = params;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Reads the jobs that due schedules wait for, of partitions whose definitions have been read. */
  readWanted(isRead: (partition: number) => boolean): void {
    if (this.#p.engine.core.jobsWanted.size === 0) return;
    for (const { partition, tenant, job } of this.#p.engine.jobsWanted()) {
      if (this.#reading.size >= JOBS_AT_ONCE) return;
      if (!isRead(partition)) continue;
      const key = `${partition}/${scheduleKey(tenant, job)}`;
      if (this.#reading.has(key)) continue;
      this.#reading.add(key);
      // A job that could not be read stays wanted, and is read again with the next step.
      void this.#read({ partition, tenant, job }).then((wasRead) => {
        // Deferred, because `deliver` only queues the job: it is wanted until it has been taken in.
        this.#p.ports.defer(() => {
          this.#reading.delete(key);
          if (wasRead && !this.#stopped) this.readWanted(isRead);
        });
      });
    }
  }

  /** The job has a new version; false where it could not be read. */
  async changed(tenant: string, job: string): Promise<boolean> {
    const partition = partitionOf(tenant, job, this.#p.partitions);
    const schedule = this.#firstScheduleOf(partition, tenant, job);
    if (schedule === null || schedule.job.kind === 'unknown') return true;
    return this.#read({ partition, tenant, job });
  }

  /** Versions of jobs that were saved on any node; false where one could not be read. */
  async changedAll(definitions: readonly Definition[]): Promise<boolean> {
    let areRead = true;
    for (const { tenant, name: job, version, deleted } of definitions) {
      const partition = partitionOf(tenant, job, this.#p.partitions);
      const schedule = this.#firstScheduleOf(partition, tenant, job);
      if (schedule === null || isKnown(schedule.job, version, deleted)) continue;
      areRead = (await this.#read({ partition, tenant, job })) && areRead;
    }
    return areRead;
  }

  /**
   * The versions, each with the job that deciding it needs. The windows that a version still owes when
   * it is edited start runs, so the job is set right before the edit, also of a schedule that an
   * earlier version of the same list creates.
   */
  async withJobs(sets: readonly SetSchedule[]): Promise<Command[]> {
    const commands: Command[] = [];
    const heads = new Map<string, JobHead>();
    /** Each schedule as it is at this point of the list; `job` is named where it is not known. */
    const states = new Map<string, { readonly exists: boolean; readonly job: string | null }>();
    for (const set of sets) {
      const { partition, tenant, schedule, spec } = set;
      const key = scheduleKey(tenant, schedule);
      const known = this.#p.engine.core.books.get(partition)?.schedules.get(key);
      const { exists, job } = states.get(key) ?? {
        exists: known !== undefined,
        job: known?.job.kind === 'unknown' ? known.spec.job : null,
      };
      if (exists && job !== null) {
        const head = heads.get(scheduleKey(tenant, job)) ?? (await this.#newest(tenant, job));
        heads.set(scheduleKey(tenant, job), head);
        commands.push({ kind: 'setJob', partition, tenant, job, head });
      }
      const isCreated = !exists && spec !== null;
      states.set(key, { exists: spec !== null, job: isCreated ? spec.job : null });
      commands.push(set);
    }
    return commands;
  }

  #firstScheduleOf(partition: number, tenant: string, job: string): Schedule | null {
    const book = this.#p.engine.core.books.get(partition);
    for (const schedule of book?.schedulesOf(tenant, job) ?? []) return schedule;
    return null;
  }

  async #read(ref: JobRef): Promise<boolean> {
    try {
      const head = await this.#newest(ref.tenant, ref.job);
      if (this.#stopped) return false;
      this.#p.deliver({ kind: 'setJob', ...ref, head });
      return true;
    } catch (error) {
      this.#p.storeFailed(asStoreError(error));
      return false;
    }
  }

  async #newest(tenant: string, job: string): Promise<JobHead> {
    const spec = await this.#p.specs.newest(tenant, job).catch(asDamaged);
    if (spec === null) return { kind: 'deleted' };
    // Windows are skipped and recorded until the definition has been saved again.
    if (spec === 'damaged') return { kind: 'paused' };
    const definition = this.#p.specs.definitionOf(spec) as { readonly paused?: boolean } | null;
    return definition?.paused === true ? { kind: 'paused' } : { kind: 'ready', spec };
  }
}

function asDamaged(error: unknown): 'damaged' {
  if (asStoreError(error).kind !== 'damaged') throw error;
  return 'damaged';
}

/** A job that no schedule has needed yet is read when one is due. */
function isKnown(head: JobHead, version: number, deleted: boolean): boolean {
  switch (head.kind) {
    case 'unknown':
      return true;
    case 'ready':
      return !deleted && head.spec.version >= version;
    case 'deleted':
      return deleted;
    case 'paused':
      return false;
  }
}
