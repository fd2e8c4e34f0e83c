import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AnyJob,
  type Job,
  job,
  PermanentError,
  type Pipeline,
  pipeline,
  type RunView,
  Signalbox,
} from '../index.ts';
import { historyOf, resultOf } from '../test-programs/history.ts';
import { simulate } from './index.ts';
import type { Simulation } from './simulation.ts';

/** The operations that both worlds have. */
interface World {
  submit(job: AnyJob, input?: unknown): Promise<string>;
  /** Resolves once the task waits. */
  waits(id: string, task: string): Promise<void>;
  decide(id: string, task: string, decision: 'approve' | 'reject', why: string): Promise<void>;
  signal(id: string, task: string, event: unknown): Promise<void>;
  cancel(id: string): Promise<void>;
  ended(id: string): Promise<{ view: RunView; result: unknown }>;
}

type Act = (world: World, id: string) => Promise<unknown>;

const inner = job('inner', (n: number) => n * 2);
const innerFails = job('inner-fails', { retry: { maxAttempts: 1 } }, (): number => {
  throw new PermanentError('no');
});
const awaited = job('awaited', (n: number) => ({ n }));

interface EndOfRun {
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly data: { readonly state: string; readonly output?: unknown; readonly error?: unknown };
}

/** Waits for the end of a run of another job. */
function waitsFor(name: string, type: string, subject: string): AnyJob {
  return pipeline(name, (p: Pipeline<number>) => {
    const filter = `event.source == "signalbox" && event.subject == "${subject}"`;
    const end = p.event<EndOfRun>('end', { type, filter });
    return p.task('then', { inputs: { end } }, ({ end }) => {
      const { state, output, error } = end.data;
      return {
        ...{ source: end.source, type: end.type, subject: end.subject },
        state,
        output,
        error,
      };
    });
  }) as AnyJob;
}

/** A task before the approval, and one after it that returns what was decided. */
function approval(name: string, options: Parameters<Pipeline['approval']>[1]): AnyJob {
  return pipeline(name, (p: Pipeline) => {
    const before = p.task('before', () => 1);
    const decided = p.approval('decided', { after: [before], ...options });
    return p.task('then', { inputs: { decided } }, ({ decided: { decision, comment, by } }) => {
      return { decision, comment, isByKey: by !== null };
    });
  }) as AnyJob;
}

const decide =
  (decision: 'approve' | 'reject'): Act =>
  async (world, id) => {
    await world.waits(id, 'decided');
    await world.decide(id, 'decided', decision, 'as agreed');
  };

const submits =
  (other: AnyJob, input?: unknown): Act =>
  async (world, id) => {
    await world.waits(id, 'end');
    await world.submit(other, input);
  };

/** Programs that wait for something, with what happens after the submission. */
const PROGRAMS: Readonly<Record<string, readonly [AnyJob, Act?]>> = {
  'an event wait that is signalled': [
    pipeline('event', (p: Pipeline) => {
      const event = p.event<{ n: number }>('paid', { type: 'paid' });
      return p.task('then', { inputs: { event } }, ({ event }) => event.n + 1);
    }) as AnyJob,
    async (world, id) => {
      await world.waits(id, 'paid');
      await world.signal(id, 'paid', { n: 1 });
    },
  ],
  'an event wait that times out': [
    pipeline('event-late', (p: Pipeline) => {
      const event = p.event('paid', { type: 'paid', timeout: 20 });
      return p.task('then', { inputs: { event } }, () => 1);
    }) as AnyJob,
  ],
  'a wait for run.succeeded': [
    waitsFor('after-success', 'run.succeeded', 'awaited'),
    submits(awaited, 7),
  ],
  'a wait for run.failed': [
    waitsFor('after-failure', 'run.failed', 'inner-fails'),
    submits(innerFails),
  ],
  'a wait for run.cancelled': [
    waitsFor('after-cancel', 'run.cancelled', 'asks'),
    async (world, id) => {
      await world.waits(id, 'end');
      const other = await world.submit(asks);
      await world.waits(other, 'decided');
      await world.cancel(other);
    },
  ],
  'a wait that begins after the end that it waits for': [
    pipeline('event-before-wait', (p: Pipeline<number>) => {
      const nested = p.run('nested', inner);
      const end = p.event<EndOfRun>('end', {
        after: [nested],
        type: 'run.succeeded',
        filter: 'event.subject == "inner"',
      });
      return p.task('then', { inputs: { end } }, ({ end }) => end.data.output);
    }) as AnyJob,
  ],
  'an approval that is approved': [approval('approved', {}), decide('approve')],
  'an approval that is rejected': [approval('rejected', {}), decide('reject')],
  'an approval that is rejected and continues': [
    approval('rejected-on', { onReject: 'continue' }),
    decide('reject'),
  ],
  'an approval that times out': [approval('silent', { timeout: 20 })],
  'an approval that silence approves': [
    approval('silent-yes', { timeout: 20, default: 'approve' }),
  ],
  'an approval that silence rejects': [approval('silent-no', { timeout: 20, default: 'reject' })],
  'a nested run': [
    pipeline('nested', (p: Pipeline<number>) => {
      const nested = p.run('nested', inner);
      return p.task('then', { inputs: { nested } }, ({ nested }) => nested + 1);
    }) as AnyJob,
  ],
  'a nested run that fails': [
    pipeline('nested-fails', (p: Pipeline<number>) => {
      const nested = p.run('nested', innerFails, { inputs: {} as never });
      return p.task('then', { inputs: { nested } }, ({ nested }) => nested + 1);
    }) as AnyJob,
  ],
};

const asks = approval('asks', {});
const jobs = [inner, innerFails, awaited, asks, ...Object.values(PROGRAMS).map(([each]) => each)];

let box: Signalbox;
beforeAll(async () => {
  box = await Signalbox.open('memory:');
  await box.work(jobs);
});
afterAll(() => box.close());

function embedded(): World {
  return {
    submit: async (each, input) => (await box.submit(each.name, input)).id,
    waits: async (id, task) => {
      while (!isWaiting(await box.runs.get(id), task)) await new Promise(setImmediate);
    },
    decide: (id, task, decision, why) => box[decision](`${id}:${task}`, why),
    signal: (id, task, event) => box.signal(`${id}:${task}`, event),
    cancel: (id) => box.cancel(id),
    ended: async (id) => {
      const run = await box.runs.handle(id);
      return { view: await run.wait(), result: await resultOf(() => run.result()) };
    },
  };
}

function simulated(t: Simulation): World {
  const runs = new Map<string, { result(): Promise<unknown> }>();
  return {
    submit: async (each, input) => {
      const run = await t.submit(each as Job<unknown, unknown>, input);
      runs.set(run.id, run);
      return run.id;
    },
    waits: async (id, task) => expect(isWaiting(await t.run(id), task)).toBe(true),
    decide: (id, task, decision, comment) => t.approve(id, task, { decision, comment }),
    signal: (id, task, event) => t.signal(id, task, event),
    cancel: (id) => t.cancel(id),
    ended: async (id) => {
      await t.advance('1m');
      const result = await resultOf(async () => runs.get(id)?.result());
      return { view: await t.run(id), result };
    },
  };
}

function isWaiting(view: RunView, name: string): boolean {
  return view.tasks.some((task) => task.name === name && task.wait?.until === null);
}

describe('U100 the same history in a simulation as on a node, of runs that wait', () => {
  it.each(Object.entries(PROGRAMS))('with %s', async (_, [program, act]) => {
    const play = async (world: World) => {
      const id = await world.submit(program, 21);
      await act?.(world, id);
      const { view, result } = await world.ended(id);
      return historyOf(view, result);
    };
    const expected = await play(embedded());
    expect(expected.hasEnded).toBe(true);
    await using t = await simulate({ jobs });
    expect(await play(simulated(t))).toEqual(expected);
  });
});
