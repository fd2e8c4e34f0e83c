import type { Servers } from '../servers/servers.ts';

export const SHAPES = [
  'steady',
  'single',
  'pipeline',
  'tenants',
  'submit',
  'drain',
  'latency',
  'cron',
  'backlog',
  'history',
  'idle',
] as const;
export type Shape = (typeof SHAPES)[number];

/** How a producer feeds a system while its worker runs. */
export interface Load {
  readonly batch: number;
  readonly inflight: number;
  /** The most that may be submitted and not done. */
  readonly cap: number;
}

/** The settings under which a system does best in a shape. */
export interface Tuning {
  /** For its part; the system adds addresses. */
  readonly config: object;
  readonly load: Load;
  /** Where it does not do what the shape is about: what it does instead, shown beside its name. */
  readonly instead?: string;
}

/** A system that is ready to be measured, on a storage that nobody has used. */
export interface Provided {
  /** Programs with arguments; one program that does both where producer and worker share a process. */
  readonly commands:
    | {
        readonly kind: 'apart';
        readonly producer: readonly string[];
        readonly worker: readonly string[];
      }
    | { readonly kind: 'together'; readonly both: readonly string[] };
  /** Process ids of what serves its parts: a node, a database server. */
  readonly processes: Readonly<Record<string, number>>;
  /** Its database on the shared server, where it has one. */
  readonly databaseUrl?: string;
  /** Tasks that have not ended, as the running system says; absent where it runs in a part, which is asked instead. */
  readonly left?: () => Promise<number>;
  /** The same when the parts have stopped, from what is durable alone. */
  leftDurably(): Promise<number>;
  /** After a load that the database's planner has not seen growing. */
  readonly analyze?: () => Promise<void>;
  close(): Promise<void>;
}

export interface System {
  readonly name: string;
  readonly store: 'postgres' | 'redis' | 'sqlite';
  /** What Signalbox is measured against; the best of those on PostgreSQL is what ratios refer to. */
  readonly isPeer: boolean;
  /** What the reader of a report should know about it. */
  readonly words: string;
  /** The shapes that it is measured in. */
  readonly tunings: Readonly<Partial<Record<Shape, Tuning>>>;
  version(): string;
  /** Why it cannot be measured on this machine, or null; what is built on demand is built by this. */
  readonly missing?: () => string | null;
  provide(tuning: Tuning, servers: Servers): Promise<Provided>;
}
