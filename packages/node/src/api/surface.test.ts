import {
  JobDefinition,
  type RunView,
  ScheduleDefinition,
  Submission,
  TaskDefinition,
  TenantDefinition,
  TriggerDefinition,
} from '@signalbox/protocol';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createDatabase } from '../../../../tools/testing/postgres.ts';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { asShown } from './testing/as-shown.ts';
import { fromSchema, type Schema } from './testing/from-schema.ts';
import { behaviour } from './testing/surface-behaviours.ts';
import { type Outcome, STORES, SurfaceWorld } from './testing/surface-world.ts';

const RUNS = 60;
const WAIT_MS = 500;
const TRIES = 40;
/** What a caller can act upon; anything else would be a mistake of the node. */
const REFUSALS = [
  'invalid',
  'bad_request',
  'too_large',
  'invalid_schedule',
  'target_not_allowed',
  'conflict',
  'idempotency_conflict',
  'not_found',
];

const door = fc.constantFrom('http' as const, 'process' as const);
const { properties: taskFields } = TaskDefinition as unknown as Schema;
const pick = (...names: string[]) =>
  fc.record(
    Object.fromEntries(names.map((name) => [name, fromSchema(taskFields?.[name] as Schema, 0)])),
    { requiredKeys: [] },
  );

/** One task that the worker can run, with settings at the ends of their ranges. */
const runnable = fc
  .tuple(
    fc.constantFrom('any', 'raw'),
    pick('retry', 'timeout', 'progressTimeout', 'gracePeriod', 'expectedDuration', 'critical'),
  )
  .map(([handler, task]) => ({ tasks: [{ handler, ...task }] }));
const definition = fc.oneof(
  { weight: 3, arbitrary: runnable.map((value) => ({ value, isRunnable: true })) },
  {
    weight: 2,
    arbitrary: fromSchema(JobDefinition as unknown as Schema).map((value) => ({
      value,
      isRunnable: false,
    })),
  },
);
const submission = fc.oneof(
  { weight: 3, arbitrary: fc.constant<unknown>({}) },
  { weight: 2, arbitrary: fromSchema(Submission as unknown as Schema) },
);

let world: SurfaceWorld;
let names = 0;

afterEach(() => world.stop());

function acceptedOrExplained(outcome: Outcome<unknown>): boolean {
  if (outcome.kind === 'accepted') return true;
  expect(REFUSALS).toContain(outcome.code);
  expect(outcome.message).not.toBe('');
  expect(outcome.message).not.toContain('the store cannot save this value');
  return false;
}

const attemptsOf = ({ tasks }: RunView) => tasks.flatMap(({ attempts }) => attempts);
const hasMoved = (view: RunView) =>
  view.endedAt !== null || attemptsOf(view).some(({ outcome }) => outcome !== '');

/** Resolves when an attempt of the run has come to an end, or the run has. */
async function moved(id: string): Promise<void> {
  for (let i = 0; i < TRIES; i++) if (hasMoved(await world.view(id, WAIT_MS))) return;
  throw new Error(`nothing becomes of ${JSON.stringify(await world.view(id))}`);
}

/** What must be the same after a restart: progress is not kept, and what is due may have gone on. */
function lasting({ tasks, ...view }: RunView): unknown {
  return { ...view, tasks: tasks.map(({ progress: _, ...task }) => task) };
}

describe.each(STORES)('whatever comes in, on %s', (kind) => {
  it('is refused with the reason, or carried, stored, and shown again after a restart', async () => {
    world = await SurfaceWorld.start(kind, createDatabase);
    const ended: string[] = [];
    const accepted: string[] = [];
    await assertProperty(
      fc.asyncProperty(
        fc.record({ door, definition, submission, behaviour }),
        async ({ door: through, definition: job, submission: asked, behaviour: does }) => {
          names += 1;
          const name = `job-${names}`;
          world.behaviour = does;
          const defined =
            through === 'http'
              ? await world.ask(`/jobs/${name}`, job.value, 'PUT')
              : await world.defineHere(name, job.value as object);
          if (!acceptedOrExplained(defined)) return;
          const shown = await world.ask(`/jobs/${name}`);
          expect(
            shown.kind === 'accepted' && (shown.value as { definition: unknown }).definition,
          ).toEqual(asShown(job.value));
          const isPlain = JSON.stringify(asked) === '{}';
          const item = isPlain ? { job: name } : { ...(asked as object), ...sameJob(asked, name) };
          const submitted =
            through === 'http' ? await world.ask('/runs', item) : await world.submitHere(item);
          if (!acceptedOrExplained(submitted)) return;
          const { id } = (submitted as { value: { id: string } }).value;
          accepted.push(id);
          if (job.isRunnable && isPlain) await moved(id);
          if ((await world.view(id)).endedAt !== null) ended.push(id);
          expect([world.fatal, world.disconnects]).toEqual([[], []]);
        },
      ),
      { numRuns: RUNS, interruptAfterTimeLimit: 600_000 },
    );
    expect(accepted.length).toBeGreaterThan(0);
    const before = new Map<string, unknown>();
    for (const id of ended) before.set(id, lasting(await world.view(id)));
    await world.restart();
    for (const id of accepted) {
      const view = await world.view(id);
      if (before.has(id)) expect(lasting(view)).toEqual(before.get(id));
    }
    expect([world.fatal, world.disconnects.filter((each) => !each.startsWith('1001'))]).toEqual([
      [],
      [],
    ]);
  }, 660_000);
});

const DEFINITIONS = {
  schedules: ScheduleDefinition,
  triggers: TriggerDefinition,
  tenants: TenantDefinition,
} as const;
const other = fc
  .constantFrom(...(Object.keys(DEFINITIONS) as (keyof typeof DEFINITIONS)[]))
  .chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      value: fromSchema(DEFINITIONS[kind] as unknown as Schema),
    }),
  );

describe.each(STORES)('schedules, triggers and tenants, on %s', (kind) => {
  it('are refused with the reason, or shown as they were saved, also after a restart', async () => {
    world = await SurfaceWorld.start(kind, createDatabase);
    await world.ask('/jobs/known', {}, 'PUT');
    const saved = new Map<string, unknown>();
    await assertProperty(
      fc.asyncProperty(other, async ({ kind: of, value }) => {
        names += 1;
        const path = `/${of}/name-${names}`;
        const definition =
          of === 'tenants' ? value : { ...(value as object), ...sameJob(value, 'known') };
        if (!acceptedOrExplained(await world.ask(path, definition, 'PUT'))) return;
        saved.set(path, await shownAt(path));
        expect(world.fatal).toEqual([]);
      }),
      { numRuns: RUNS },
    );
    await world.restart();
    for (const [path, before] of saved) expect(await shownAt(path)).toEqual(before);
    expect(world.fatal).toEqual([]);
  }, 660_000);
});

async function shownAt(path: string): Promise<unknown> {
  const shown = await world.ask(path);
  if (shown.kind === 'refused') throw new Error(`${path} cannot be shown: ${shown.message}`);
  return (shown.value as { definition: unknown }).definition;
}

/** Of the submissions with a job of their own, those with a readable one are of this job. */
function sameJob(asked: unknown, name: string): object {
  const { job } = (asked ?? {}) as { job?: unknown };
  return typeof job === 'string' && job.length > 0 && job.length < 129 ? { job: name } : {};
}
