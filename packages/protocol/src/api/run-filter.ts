import type { Static } from 'typebox';
import { Type } from '../type.ts';
import { InstantInput, Name } from './common.ts';
import { PriorityName } from './priority.ts';
import { RunState } from './states.ts';

const closed = { additionalProperties: false } as const;

/** Which runs: all of the fields that are given have to match. */
export const RUN_FILTER_FIELDS = {
  job: Type.Optional(Name),
  state: Type.Optional(RunState),
  priority: Type.Optional(PriorityName),
  /** Submitted at this instant or later. */
  from: Type.Optional(InstantInput),
  /** Submitted before this instant. */
  until: Type.Optional(InstantInput),
  /** The run that holds the idempotency key, for as long as the key is remembered. */
  idempotencyKey: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  /** The name of the schedule that started it, for a window, as a backfill or by hand. */
  schedule: Type.Optional(Name),
  /** The name of the trigger that started it. */
  trigger: Type.Optional(Name),
  /** The id of the event that it was made from. */
  event: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  /**
   * The id of the run begins with this. Four digits at least: ids begin with the time, and a shorter text, or a
   * dash alone, would select every run of a tenant.
   */
  id: Type.Optional(Type.String({ pattern: '^[0-9A-Fa-f]{4}[0-9A-Fa-f-]{0,32}$' })),
  /** The key that submitted it, as `key` of `GET /whoami` names it. */
  submittedBy: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
};

export const RunFilter = Type.Object(RUN_FILTER_FIELDS, closed);

/** Runs changed by filter: a bounded step of them, and where to go on. */
export const BulkAnswer = Type.Object({
  dryRun: Type.Boolean(),
  /** Runs that matched in this step. */
  count: Type.Integer(),
  /** The first of them, up to 100. */
  ids: Type.Array(Type.String()),
  /** How many were changed. */
  done: Type.Integer(),
  /** Those that were not, and why: `not_owner` is a run that another node holds. */
  failed: Type.Array(
    Type.Object({ id: Type.String(), code: Type.String(), message: Type.String() }),
  ),
  /** Of a retry: the new runs, and the runs that they go on with. */
  created: Type.Optional(Type.Array(Type.Object({ id: Type.String(), retryOf: Type.String() }))),
  /** Where there may be more: the cursor of the next step. */
  next: Type.Optional(Type.String()),
});

export type RunFilter = Static<typeof RunFilter>;
export type BulkAnswer = Static<typeof BulkAnswer>;
