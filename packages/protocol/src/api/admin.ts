import type { Static } from 'typebox';
import { Type } from '../type.ts';
import { Instant, InstantInput, Labels, Name, Resources, wordOf } from './common.ts';
import { durationIn, inRange } from './in-range.ts';
import { PriorityName } from './priority.ts';

const closed = { additionalProperties: false } as const;

/** Each may do what those before it may; `worker` stands apart and may only attach. */
export const ROLES = ['viewer', 'submitter', 'operator', 'admin', 'worker'] as const;
export const Role = wordOf(ROLES);
/** The tenant of keys that belong to the platform; they choose a tenant with `Signalbox-Tenant`. */
export const PLATFORM = '*';

export const WorkerView = Type.Object({
  name: Type.String(),
  status: Type.String(),
  zone: Type.String(),
  labels: Labels,
  executors: Type.Array(Type.String()),
  total: Resources,
  free: Resources,
  attempts: Type.Integer(),
  lastSeenAt: Instant,
});

export const QueueDepth = Type.Object({
  tenant: Type.String(),
  priority: PriorityName,
  /** Ready and waiting for a worker, those parked in the store included. */
  queued: Type.Integer(),
  running: Type.Integer(),
});

export const TenantDefinition = Type.Object(
  {
    weight: Type.Optional(inRange('tenant.weight')),
    maxRunning: Type.Optional(inRange('tenant.maxRunning')),
    /** Schedules of the tenant are spread by at least this much, whatever they ask for. */
    minJitter: Type.Optional(durationIn('tenant.minJitter')),
    /** How many jobs, schedules and triggers the tenant may have; 100,000 of each by default. */
    maxJobs: Type.Optional(inRange('tenant.maxJobs')),
    maxSchedules: Type.Optional(inRange('tenant.maxSchedules')),
    maxTriggers: Type.Optional(inRange('tenant.maxTriggers')),
  },
  closed,
);

export const Tenant = Type.Object({
  name: Name,
  version: Type.Integer(),
  definition: TenantDefinition,
  at: Instant,
});

export const NewKey = Type.Object(
  {
    role: Role,
    note: Type.Optional(Type.String({ maxLength: 256 })),
    expiresAt: Type.Optional(InstantInput),
  },
  closed,
);

export const Key = Type.Object({
  id: Type.String(),
  tenant: Type.String(),
  role: Role,
  note: Type.String(),
  createdAt: Instant,
  expiresAt: Type.Union([Instant, Type.Null()]),
  revoked: Type.Boolean(),
  /** Only in the response that created it; it cannot be read again. */
  secret: Type.Optional(Type.String()),
});

export const AuditEntry = Type.Object({
  number: Type.Integer(),
  at: Instant,
  actor: Type.String(),
  ip: Type.String(),
  action: Type.String(),
  target: Type.String(),
  before: Type.Union([Type.String(), Type.Null()]),
  after: Type.Union([Type.String(), Type.Null()]),
  reason: Type.String(),
  hash: Type.String(),
});

export const Health = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('down')]),
  checks: Type.Record(
    Type.String(),
    Type.Object({ ok: Type.Boolean(), detail: Type.Optional(Type.String()) }),
  ),
  version: Type.String(),
});

export const DamagedRow = Type.Object({
  /** By which it is forgotten. */
  id: Type.String(),
  kind: Type.String(),
  key: Type.String(),
  partition: Type.Union([Type.Integer(), Type.Null()]),
  tenant: Type.Union([Type.String(), Type.Null()]),
  error: Type.String(),
  /** When it was first found. */
  at: Instant,
  advice: Type.String(),
});

export const Doctor = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('attention')]),
  checks: Type.Record(
    Type.String(),
    Type.Object({
      ok: Type.Boolean(),
      detail: Type.String(),
      advice: Type.Optional(Type.String()),
    }),
  ),
  /** The first hundred. */
  damagedRows: Type.Array(DamagedRow),
  version: Type.String(),
});

/** One of the two. */
export const ForgetDamagedRows = Type.Object(
  {
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 8_000 })),
    all: Type.Optional(Type.Literal(true)),
  },
  { additionalProperties: false },
);

export const ForgottenRows = Type.Object({ forgotten: Type.Integer() });

export type Role = (typeof ROLES)[number];
export type WorkerView = Static<typeof WorkerView>;
export type QueueDepth = Static<typeof QueueDepth>;
export type TenantDefinition = Static<typeof TenantDefinition>;
export type Tenant = Static<typeof Tenant>;
export type NewKey = Static<typeof NewKey>;
export type Key = Static<typeof Key>;
export type AuditEntry = Static<typeof AuditEntry>;
export type Health = Static<typeof Health>;
export type DamagedRow = Static<typeof DamagedRow>;
export type Doctor = Static<typeof Doctor>;
