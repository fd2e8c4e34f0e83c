import { type Engine, partitionOf, scheduleKey, scheduleSpec } from '@signalbox/engine';
import type { Definition } from '@signalbox/store';
import { type Adoption, chunksByJob, type SetSchedule } from './adoption.ts';
import { definedSchedule } from './defined-schedule.ts';

/** Which saved versions of schedules the engine has not adopted yet. */
export class ScheduleVersions {
  readonly #engine: Engine;
  readonly #partitions: number;

  constructor(engine: Engine, partitions: number) {
    this.#engine = engine;
    this.#partitions = partitions;
  }

  /** Null where the partition is not on this node, or the version was adopted before. */
  toSet(definition: Definition): SetSchedule | null {
    const { tenant, version, deleted, atMs: savedAt } = definition;
    const { schedule, job, wanted } = definedSchedule(definition);
    const partition = partitionOf(tenant, job, this.#partitions);
    const known = this.#adoptedOf(partition, scheduleKey(tenant, schedule));
    if (known === null || version <= known) return null;
    const spec = deleted || wanted === null ? null : scheduleSpec(wanted);
    return { kind: 'setSchedule', partition, tenant, schedule, version, spec, savedAt };
  }

  /**
   * True where the version right before it has been adopted. Otherwise versions in between are still
   * to be read: the first one adopted decides from when on the schedule has windows.
   */
  isNext({ partition, tenant, schedule, version }: SetSchedule): boolean {
    return version === (this.#adoptedOf(partition, scheduleKey(tenant, schedule)) ?? 0) + 1;
  }

  /** The versions that are to be adopted, in turns: all of a job are adopted in the same turn. */
  toAdopt(definitions: readonly Definition[]): SetSchedule[][] {
    const adoptions: Adoption[] = [];
    const created = new Set<string>();
    for (const definition of definitions) {
      const set = this.toSet(definition);
      if (set === null) continue;
      // Also a deleted version names its job.
      const job = scheduleKey(set.tenant, definedSchedule(definition).job);
      adoptions.push({ job, set });
      if (set.spec !== null) created.add(scheduleKey(set.tenant, set.schedule));
    }
    // The end of a schedule that nobody knows, and that no other version here creates, means nothing.
    const known = ({ partition, tenant, schedule, spec }: SetSchedule): boolean => {
      const key = scheduleKey(tenant, schedule);
      return spec !== null || created.has(key) || (this.#adoptedOf(partition, key) ?? 0) > 0;
    };
    return chunksByJob(adoptions.filter(({ set }) => known(set)));
  }

  /** The newest version that the engine has; 0 where it has none, null without the partition. */
  #adoptedOf(partition: number, key: string): number | null {
    const book = this.#engine.core.books.get(partition);
    if (book === undefined) return null;
    return (book.schedules.get(key) ?? book.removedSchedules.get(key))?.version ?? 0;
  }
}
