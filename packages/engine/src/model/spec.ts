import type { Class } from './classes.ts';
import { DEFAULT_CLASS } from './classes.ts';
import {
  type GraphDefinition,
  type GraphSpec,
  graphSpec,
  type StepDefinition,
  type StepSpec,
  stepSpec,
} from './graph-spec.ts';
import { DEFAULT_REQUEST, type Resources } from './resources.ts';
import { internShape, type Shape } from './shape.ts';

/** Delays that a job shapes itself; `complete/back-off.ts` reads them. */
export type BackOff =
  | {
      readonly kind: 'exponential';
      readonly delayMs: number;
      readonly factor: number;
      readonly maxDelayMs: number;
      /** The part of each delay that is random, 0 to 1. */
      readonly jitter: number;
    }
  /** One for each retry; the last repeats. */
  | { readonly kind: 'list'; readonly delaysMs: readonly number[] };

/** How failures of a task are answered. Delays are the bands of `complete/back-off.ts` unless the job says others. */
export interface RetryPolicy {
  /** Attempts that may be charged to the task before it is given up. */
  readonly attemptsMax: number;
  /** A fixed delay instead of the growing bands: the simple mode. */
  readonly fixedDelayMs: number | null;
  /** Delays of another shape; null for the bands or the fixed delay. */
  readonly backOff: BackOff | null;
  /** Where a task goes that used up its attempts: kept aside for a person, or simply failed. */
  readonly onExhausted: 'quarantine' | 'fail';
  readonly onTimeout: 'retry' | 'end';
}

export const DEFAULT_RETRY: RetryPolicy = {
  attemptsMax: 5,
  fixedDelayMs: null,
  backOff: null,
  onExhausted: 'quarantine',
  onTimeout: 'retry',
};

/** Three tries five seconds apart, then failed. */
export const SIMPLE_RETRY: RetryPolicy = {
  attemptsMax: 3,
  fixedDelayMs: 5_000,
  backOff: null,
  onExhausted: 'fail',
  onTimeout: 'retry',
};

export interface Timeouts {
  /** How long an attempt usually takes; a warning is raised at twice this. */
  readonly expectedMs: number | null;
  /** When an attempt is stopped; without it three times `expectedMs`; without both, never. */
  readonly hardMs: number | null;
  /** How long reported progress may stand still; without it ten minutes for tasks that report any. */
  readonly progressMs: number | null;
  /** How long a stopped attempt has to clean up before it is ended by force. */
  readonly graceMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  expectedMs: null,
  hardMs: null,
  progressMs: null,
  graceMs: 30_000,
};

export interface TaskSpec {
  readonly name: string;
  /** Indexes of the tasks that must succeed first. */
  readonly after: readonly number[];
  /** Indexes of the tasks that wait for this one: the reverse index, so that readiness never scans. */
  readonly before: readonly number[];
  readonly shape: Shape;
  readonly retry: RetryPolicy;
  readonly timeouts: Timeouts;
  /** Its worker is probed actively instead of being waited for (LIV-04). */
  readonly critical: boolean;
  /** What only tasks of graphs can say. */
  readonly step: StepSpec;
}

/** One version of a job, immutable: what the tasks of its runs are derived from. */
export interface JobSpec {
  readonly tenant: string;
  readonly job: string;
  readonly version: number;
  readonly class: Class;
  readonly graph: GraphSpec;
  readonly tasks: readonly TaskSpec[];
  /** No run of it starts while another one is live, whatever started that. */
  readonly exclusive: boolean;
  /** Types of events that its runs may wait for. */
  readonly hears: readonly string[];
}

/** What an author writes; everything but the name has a default, so old definitions stay readable. */
export interface TaskDefinition extends StepDefinition {
  readonly name?: string;
  readonly after?: readonly string[];
  readonly request?: Partial<Resources>;
  readonly zone?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly prefer?: Readonly<Record<string, string>>;
  readonly apart?: readonly string[];
  readonly executor?: string;
  readonly retry?: Partial<RetryPolicy>;
  readonly timeouts?: Partial<Timeouts>;
  readonly critical?: boolean;
}

export interface JobDefinition extends GraphDefinition {
  readonly class?: Class;
  readonly tasks?: readonly TaskDefinition[];
  /** What becomes of a run that is asked for while another of the job is live. */
  readonly overlap?: 'allow' | 'skip';
  /** Types of events that tasks wait for which are added at run time. */
  readonly hears?: readonly string[];
}

/** Most tasks wait for nobody: they share one empty list. */
const NONE: readonly number[] = [];
const orNone = (indexes: readonly number[]) => (indexes.length === 0 ? NONE : indexes);

const DEAF: readonly string[] = [];

/** Types of events that runs of the job may wait for: its tasks' own, and those of tasks added later. */
export function heardTypes(definition: {
  readonly hears?: readonly string[];
  readonly tasks?: readonly Pick<StepDefinition, 'event'>[];
}): readonly string[] {
  const types = new Set(definition.hears);
  for (const { event } of definition.tasks ?? []) if (event !== undefined) types.add(event.type);
  return types.size === 0 ? DEAF : [...types];
}

/** Derives the immutable spec of a job version. Acyclicity is checked where definitions are saved. */
export function jobSpec(params: {
  tenant: string;
  job: string;
  version: number;
  definition: JobDefinition;
}): JobSpec {
  return {
    tenant: params.tenant,
    job: params.job,
    version: params.version,
    class: params.definition.class ?? DEFAULT_CLASS,
    graph: graphSpec(params.definition),
    tasks:
      params.definition.tasks === undefined ? ONE_TASK : taskSpecs(params.definition.tasks, []),
    exclusive: params.definition.overlap === 'skip',
    hears: heardTypes(params.definition),
  };
}

/**
 * Specs of tasks behind those that are there already, whose names they may wait for. `before` tells
 * of the new ones only.
 */
export function taskSpecs(
  definitions: readonly TaskDefinition[],
  existing: readonly string[],
): TaskSpec[] {
  const first = existing.length;
  const names = definitions.map(
    (d, i) => d.name ?? (first === 0 && definitions.length === 1 ? 'main' : `task${first + i}`),
  );
  const indexOf = new Map([...existing, ...names].map((name, i) => [name, i]));
  const before: number[][] = definitions.map(() => []);
  const after = definitions.map((d, i) =>
    (d.after ?? []).map((name) => {
      const parent = indexOf.get(name);
      if (parent === undefined)
        throw new RangeError(`task ${names[i]} comes after unknown task ${name}`);
      before[parent - first]?.push(first + i);
      return parent;
    }),
  );
  return definitions.map(
    (d, i): TaskSpec => ({
      name: names[i] as string,
      after: orNone(after[i] as number[]),
      before: orNone(before[i] as number[]),
      shape: internShape({
        request: { ...DEFAULT_REQUEST, ...d.request },
        zone: d.zone ?? null,
        labels: d.labels ?? {},
        prefer: d.prefer ?? {},
        apart: d.apart ?? [],
        executor: d.executor ?? null,
      }),
      // Most say nothing of it: shared, because there may be a job for each of very many schedules.
      retry: d.retry === undefined ? DEFAULT_RETRY : { ...DEFAULT_RETRY, ...d.retry },
      timeouts:
        d.timeouts === undefined ? DEFAULT_TIMEOUTS : { ...DEFAULT_TIMEOUTS, ...d.timeouts },
      critical: d.critical ?? false,
      step: stepSpec(d, (name) => indexOf.get(name) as number),
    }),
  );
}

/** A job that says nothing of its tasks has one: shared, because very many jobs may be so. */
const ONE_TASK: readonly TaskSpec[] = taskSpecs([{}], []);
