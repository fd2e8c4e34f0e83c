import type { ClassName, ScheduleDefinition } from '@signalbox/engine';
import type { ExpectedEvent, HookDefinition, TriggerDefinition } from '@signalbox/protocol';
import type { Sealed } from '../secrets/seal.ts';

type Renamed = 'hook' | 'expect' | 'priority' | 'idempotencyKey';

/**
 * A trigger as its rows hold it: what its author wrote, with times in milliseconds and under the names
 * of the engine, and what was made of it. `operations/triggers/trigger-definition.ts` translates.
 */
export interface StoredTrigger extends Omit<TriggerDefinition, Renamed> {
  readonly class?: ClassName;
  readonly key?: string;
  readonly expect?: StoredExpectation;
  /** The schedule of expected events, for the engine; see `loop/defined-schedule.ts`. */
  readonly expected?: ScheduleDefinition;
  readonly hook?: StoredHook;
  readonly paused?: boolean;
}

export type StoredExpectation = Omit<ExpectedEvent, 'every' | 'buffer'> & {
  readonly everyMs?: number;
  readonly bufferMs: number;
};

export type StoredHook = Omit<HookDefinition, 'secret' | 'tolerance'> & {
  readonly toleranceMs?: number;
  readonly sealed: Sealed;
};

export const TRIGGER_KIND = 'trigger';
