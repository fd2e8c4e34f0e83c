import type { Static } from 'typebox';
import { SIZES } from '../limits.ts';
import { Type } from '../type.ts';
import { Instant, InstantInput, Name, wordOf } from './common.ts';
import { durationIn } from './in-range.ts';
import { Priority } from './priority.ts';

const SECRET = SIZES['hook.secretBytes'];
const closed = { additionalProperties: false } as const;
/** CEL; how long and how dear it may be is checked where it is compiled. */
const Expression = Type.String({ minLength: 1, maxLength: 4_096 });
/** An exact value, or the beginning of one with `*` behind it. */
const Match = Type.String({ minLength: 1, maxLength: 1_024 });

/** The source of events about the ends of the tenant's own runs; clients cannot send such events. */
export const OWN_SOURCE = 'signalbox';
export const HOOK_STYLES = ['github', 'stripe', 'standard'] as const;

/** An event is expected at every window; without it a run starts anyway, flagged `no_event`. */
export const ExpectedEvent = Type.Object(
  {
    cron: Type.Optional(Type.String({ maxLength: 512 })),
    /** IANA name; UTC by default. */
    timezone: Type.Optional(Type.String({ maxLength: 64 })),
    every: Type.Optional(durationIn('expect.every')),
    anchorAt: Type.Optional(InstantInput),
    /** How long after the expected time the event is waited for. */
    buffer: durationIn('expect.buffer'),
    /** The effect of an event that arrives late: `run` (the default) or `skip`. */
    late: Type.Optional(wordOf(['run', 'skip'])),
    /** The input of the run that starts without an event. */
    input: Type.Optional(Type.Unknown()),
  },
  closed,
);

/** An address of its own for senders that sign what they send. */
export const HookDefinition = Type.Object(
  {
    style: wordOf(HOOK_STYLES),
    /** How far the time that was signed may lie from now; for styles that sign one. */
    tolerance: Type.Optional(durationIn('hook.tolerance')),
    /** The header that names the event, where the sender does not use the one of its style. */
    idHeader: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' })),
    /** Only ever sent, never shown. Absent: kept as it is, or made where there is none yet. */
    secret: Type.Optional(Type.String({ minLength: SECRET.min, maxLength: SECRET.max })),
  },
  closed,
);

/** It names what it listens to: `source`, `type` or both, or a hook of its own. */
export const TriggerDefinition = Type.Object(
  {
    job: Name,
    source: Type.Optional(Match),
    type: Type.Optional(Match),
    subject: Type.Optional(Match),
    /** CEL over `event`; true where it is to start a run. */
    filter: Type.Optional(Expression),
    /** JSON in which `${…}` stands for what the CEL in it yields. Absent: the data of the event. */
    input: Type.Optional(Type.Unknown()),
    /** CEL over `event`: events with the same value are one. Absent: source and id. */
    idempotencyKey: Type.Optional(Expression),
    priority: Type.Optional(Priority),
    expect: Type.Optional(ExpectedEvent),
    hook: Type.Optional(HookDefinition),
  },
  closed,
);

/** Something that came and started nothing although it was meant to; kept by this node since it started. */
export const TriggerRefusal = Type.Object({
  at: Instant,
  source: Type.String(),
  id: Type.String(),
  reason: Type.String(),
});

export const Trigger = Type.Object({
  name: Name,
  version: Type.Integer(),
  state: wordOf(['active', 'paused', 'deleted']),
  definition: TriggerDefinition,
  author: Type.String(),
  at: Instant,
  /** When the next event is expected; absent where none is. */
  expectedAt: Type.Optional(Instant),
  /** Where its hook is, below the address of the API. */
  hookPath: Type.Optional(Type.String()),
  /** Shown once, in the response that created it. */
  secret: Type.Optional(Type.String()),
  refusals: Type.Optional(Type.Array(TriggerRefusal)),
});

/** An event in the JSON format of CloudEvents 1.0; attributes of one's own are allowed. */
export const CloudEvent = Type.Object(
  {
    specversion: Type.Literal('1.0'),
    id: Type.String({ minLength: 1, maxLength: 256 }),
    source: Type.String({ minLength: 1, maxLength: 1_024 }),
    type: Type.String({ minLength: 1, maxLength: 256 }),
    subject: Type.Optional(Type.String({ maxLength: 1_024 })),
    time: Type.Optional(Type.String({ maxLength: 64 })),
    datacontenttype: Type.Optional(Type.String({ maxLength: 256 })),
    dataschema: Type.Optional(Type.String({ maxLength: 1_024 })),
    data: Type.Optional(Type.Unknown()),
    data_base64: Type.Optional(Type.String()),
  },
  { additionalProperties: true },
);

export const StartedRun = Type.Object({
  trigger: Name,
  /**
   * `duplicate`: the event was here before. `late`: a run stood in for it. `refused`: see `reason`.
   * `pending`: the owner of the job's partition has yet to decide between a new run and the live one.
   */
  outcome: wordOf(['created', 'pending', 'duplicate', 'late', 'refused']),
  run: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
});

export const ReceivedEvent = Type.Object({
  id: Type.String(),
  source: Type.String(),
  type: Type.String(),
  /** What it started, trigger by trigger. */
  runs: Type.Array(StartedRun),
  /** Triggers that listen to its source and type and did not want it, and why. */
  passed: Type.Array(Type.Object({ trigger: Name, reason: Type.String() })),
  /** Whether runs of some job may wait for its type; those that do receive it. */
  hasSubscribers: Type.Boolean(),
});

export const ReceivedEvents = Type.Object({ events: Type.Array(ReceivedEvent) });

export const TriggerTest = Type.Object(
  {
    definition: Type.Optional(TriggerDefinition),
    /** The saved one of this name, where no definition is given. */
    name: Type.Optional(Name),
    /** A CloudEvent; or `data` alone. */
    event: Type.Optional(Type.Unknown()),
    /** The data of an event whose source, type and subject are those that the trigger listens to. */
    data: Type.Optional(Type.Unknown()),
  },
  closed,
);

export const TriggerTested = Type.Object({
  /** Whether it would start a run. */
  matches: Type.Boolean(),
  reason: Type.Optional(Type.String()),
  input: Type.Optional(Type.Unknown()),
  /** The input where it is bytes, those of an event that is not JSON. */
  inputBase64: Type.Optional(Type.String()),
  idempotencyKey: Type.Optional(Type.String()),
});

export type ExpectedEvent = Static<typeof ExpectedEvent>;
export type HookDefinition = Static<typeof HookDefinition>;
export type HookStyle = (typeof HOOK_STYLES)[number];
export type TriggerDefinition = Static<typeof TriggerDefinition>;
export type TriggerRefusal = Static<typeof TriggerRefusal>;
export type Trigger = Static<typeof Trigger>;
export type CloudEvent = Static<typeof CloudEvent>;
export type StartedRun = Static<typeof StartedRun>;
export type ReceivedEvent = Static<typeof ReceivedEvent>;
export type ReceivedEvents = Static<typeof ReceivedEvents>;
export type TriggerTest = Static<typeof TriggerTest>;
export type TriggerTested = Static<typeof TriggerTested>;
