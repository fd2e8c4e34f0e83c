import type { ClassName, ScheduleDefinition } from '@signalbox/engine';
import type { TriggerDefinition } from '@signalbox/protocol';
import type { Sealed } from './seal.ts';

/** A trigger as its rows hold it: what its author wrote, and what was made of it. */
export interface StoredTrigger extends Omit<TriggerDefinition, 'hook' | 'priority'> {
  readonly class?: ClassName;
  /** What the engine is told where events are expected; see `loop/defined-schedule.ts`. */
  readonly expected?: ScheduleDefinition;
  readonly hook?: Omit<NonNullable<TriggerDefinition['hook']>, 'secret'> & {
    readonly sealed: Sealed;
  };
}

export const TRIGGER_KIND = 'trigger';
