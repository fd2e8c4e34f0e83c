import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { InvariantViolation } from '../model/assert.ts';
import { Book } from '../model/book.ts';
import type { Run, Task } from '../model/run.ts';
import { isTerminalTask, RUN_STATES, TASK_STATES, type TaskState } from '../model/states.ts';
import { buildSpec } from '../testing/builders.ts';
import { markdownTable } from '../testing/markdown-table.ts';
import type { Fact, RunFact, TaskOutcome } from './facts.ts';
import * as make from './facts.ts';
import { fold } from './fold.ts';
import type { GraphFact } from './graph-facts.ts';
import { moveRun, moveTask } from './moves.ts';

const page = readFileSync(new URL('../../../../docs/lifecycle.md', import.meta.url), 'utf8');
const published = (heading: string) =>
  new Set(markdownTable(page, heading).map(([from, to]) => `${from} to ${to}`));
const taskMoves = published('Task moves');
const runMoves = published('Run moves');

/** A book with one run of two tasks: the second keeps the run open when the first ends. */
function setup() {
  const book = new Book(0, 1);
  const spec = buildSpec({ tasks: [{ name: 'a' }, { name: 'b' }] });
  const run = { seq: 1, ms: 1, spec, head: {}, class: 1 as const, input: null, inputBytes: 0 };
  fold(book, make.runSubmitted({ partition: 0, run, parked: null }));
  return { book, run: book.runs.get(1) as Run, task: book.runs.get(1)?.tasks[0] as Task };
}

const of = (attempt: number) => ({ partition: 0, seq: 1, task: 0, at: 5, attempt });

/** Facts about the first task, as they would be written of the given attempt. */
const ABOUT_TASK: {
  readonly [K in Exclude<
    RunFact['kind'],
    | GraphFact['kind']
    | 'runSubmitted'
    | 'runsPagedIn'
    | 'runEnded'
    | 'runCancelRequested'
    | 'runClassChanged'
  >]: { to: TaskState | null; make: (attempt: number) => Fact };
} = {
  taskAssigned: {
    to: 'ASSIGNED',
    make: (n) => make.taskAssigned({ ...of(n), worker: 'w', token: 9, score: 0 }),
  },
  taskStarted: { to: 'RUNNING', make: (n) => make.taskStarted(of(n)) },
  taskCheckpointed: {
    to: null,
    make: (n) => make.taskCheckpointed({ ...of(n), state: new Uint8Array(1) }),
  },
  taskExtended: { to: null, make: (n) => make.taskExtended({ ...of(n), hardAt: 9 }) },
  taskSucceeded: { to: 'SUCCEEDED', make: (n) => make.taskSucceeded({ ...of(n), output: null }) },
  taskRetryAt: {
    to: 'PENDING',
    make: (n) =>
      make.taskRetryAt({ ...of(n), reason: 'transient', error: '', dueAt: 9, memoryMb: 0 }),
  },
  taskRequeued: { to: 'QUEUED', make: (n) => make.taskRequeued({ ...of(n), reason: 'drained' }) },
  taskFailed: {
    to: 'FAILED',
    make: (n) => make.taskFailed({ ...of(n), reason: 'permanent', error: '' }),
  },
  taskTimedOut: {
    to: 'TIMED_OUT',
    make: (n) => make.taskTimedOut({ ...of(n), reason: 'timeout', error: '' }),
  },
  taskQuarantined: {
    to: 'QUARANTINED',
    make: (n) => make.taskQuarantined({ ...of(n), reason: 'transient', error: '' }),
  },
  taskCancelled: {
    to: 'CANCELLED',
    make: (n) => make.taskCancelled({ ...of(n), reason: 'cancelled' }),
  },
  taskSkipped: {
    to: 'SKIPPED',
    make: (n) => make.taskSkipped({ ...of(n), reason: 'upstream_failed' }),
  },
};
const KINDS = Object.keys(ABOUT_TASK) as (keyof typeof ABOUT_TASK)[];

/** How each state is reached by facts alone. */
const WAY_TO: { readonly [S in TaskState]: readonly (keyof typeof ABOUT_TASK)[] } = {
  PENDING: [],
  QUEUED: ['taskAssigned', 'taskRequeued'],
  ASSIGNED: ['taskAssigned'],
  RUNNING: ['taskAssigned', 'taskStarted'],
  SUCCEEDED: ['taskAssigned', 'taskSucceeded'],
  FAILED: ['taskAssigned', 'taskFailed'],
  TIMED_OUT: ['taskAssigned', 'taskTimedOut'],
  CANCELLED: ['taskCancelled'],
  SKIPPED: ['taskSkipped'],
  QUARANTINED: ['taskAssigned', 'taskQuarantined'],
};

function inState(state: TaskState) {
  const world = setup();
  for (const kind of WAY_TO[state]) {
    const number = kind === 'taskCancelled' || kind === 'taskSkipped' ? 0 : 1;
    fold(world.book, ABOUT_TASK[kind].make(number));
  }
  expect(world.task.state).toBe(state);
  return world;
}

describe('moveTask', () => {
  const pairs = TASK_STATES.flatMap((from) => TASK_STATES.map((to) => [from, to] as const));

  it.each(pairs)('DUR-01 moves from %s to %s if and only if that is published', (from, to) => {
    const { task } = setup();
    task.state = from;
    if (taskMoves.has(`${from} to ${to}`)) {
      moveTask(task, to);
      expect(task.state).toBe(to);
    } else {
      expect(() => moveTask(task, to)).toThrow(InvariantViolation);
      expect(task.state).toBe(from);
    }
  });

  it('DUR-01 moves runs only along published edges, too', () => {
    for (const from of RUN_STATES) {
      for (const to of RUN_STATES) {
        const { run } = setup();
        run.state = from;
        if (runMoves.has(`${from} to ${to}`)) moveRun(run, to);
        else expect(() => moveRun(run, to)).toThrow(InvariantViolation);
        expect(run.state).toBe(runMoves.has(`${from} to ${to}`) ? to : from);
      }
    }
  });
});

describe('fold', () => {
  const cases = TASK_STATES.flatMap((state) => KINDS.map((kind) => [state, kind] as const));

  it.each(cases)('DUR-01 from %s takes %s only along a published edge', (state, kind) => {
    const { book, task } = inState(state);
    const { to } = ABOUT_TASK[kind];
    const live = task.attempt?.number ?? 0;
    const fact = ABOUT_TASK[kind].make(kind === 'taskAssigned' ? task.attempts + 1 : live);
    // PENDING becomes QUEUED without a fact, so an assignment may follow either.
    const from = kind === 'taskAssigned' && state === 'PENDING' ? 'QUEUED' : state;
    const legal = to === null ? live > 0 : taskMoves.has(`${from} to ${to}`);
    if (legal) {
      fold(book, fact);
      expect(task.state).toBe(to ?? state);
    } else {
      expect(() => fold(book, fact)).toThrow(InvariantViolation);
      expect(task.state).toBe(state);
    }
  });

  it('I6 numbers attempts without gaps, and has one live attempt at a time', () => {
    const { book, task } = setup();
    const assign = (attempt: number) => fold(book, ABOUT_TASK.taskAssigned.make(attempt));
    expect(() => assign(2)).toThrow('I6');
    assign(1);
    expect(() => assign(2)).toThrow('I6');
    expect(task).toMatchObject({ attempts: 1, attempt: { number: 1 } });
    fold(book, ABOUT_TASK.taskRequeued.make(1));
    expect(() => assign(1)).toThrow('I6');
    expect(() => assign(3)).toThrow('I6');
    assign(2);
    expect(task).toMatchObject({ attempts: 2, attempt: { number: 2 } });
  });

  it.each(['PENDING', 'QUEUED', 'ASSIGNED', 'RUNNING'] as const)(
    'DUR-10 I15 in %s refuses every fact of an attempt that is not the live one',
    (state) => {
      for (const kind of KINDS) {
        const { book, task } = inState(state);
        const live = task.attempt?.number ?? 0;
        const right = kind === 'taskAssigned' ? task.attempts + 1 : live;
        for (const wrong of [0, 1, 2, 3].filter((number) => number !== right)) {
          expect(() => fold(book, ABOUT_TASK[kind].make(wrong))).toThrow(InvariantViolation);
          expect(task.state).toBe(state);
        }
      }
    },
  );

  it('DUR-01 reaches a terminal state once, whatever facts come', () => {
    const fact = fc.record({ kind: fc.constantFrom(...KINDS), number: fc.nat(4) });
    assertProperty(
      fc.property(fc.array(fact, { maxLength: 30 }), (facts) => {
        const { book, task } = setup();
        let ends = 0;
        for (const { kind, number } of facts) {
          const before = task.state;
          try {
            fold(book, ABOUT_TASK[kind].make(number));
          } catch (error) {
            expect(error).toBeInstanceOf(InvariantViolation);
            expect(task.state).toBe(before);
          }
          if (isTerminalTask(before)) expect(task.state).toBe(before);
          else if (isTerminalTask(task.state)) ends++;
        }
        expect(ends).toBeLessThanOrEqual(1);
        expect(TASK_STATES).toContain(task.state);
      }),
    );
  });
});

describe('facts about runs', () => {
  const request = { partition: 0, seq: 2, at: 5, by: 'ann', reason: 'why' };
  const end = (last: TaskOutcome, state: (typeof RUN_STATES)[number]) =>
    make.runEnded({
      partition: 0,
      seq: 1,
      ms: 1,
      at: 5,
      tenant: 'acme',
      state,
      last,
      detail: '',
      output: null,
    });

  it('DUR-01 are refused about a run that is not live', () => {
    const { book } = setup();
    for (const fact of [
      make.runCancelRequested(request),
      make.runClassChanged({ ...request, class: 0 }),
      make.taskStarted({ ...of(1), seq: 2 }),
      make.taskStarted({ ...of(1), task: 2 }),
    ]) {
      expect(() => fold(book, fact)).toThrow(InvariantViolation);
    }
  });

  it('DUR-01 never number a run twice, nor bring in a live one again', () => {
    const { book, run } = setup();
    const submitted = { ...run, input: null } as unknown as make.SubmittedRun;
    const again = make.runSubmitted({ partition: 0, run: submitted, parked: null });
    expect(() => fold(book, again)).toThrow(InvariantViolation);
    const page = { partition: 0, lane: 'q1/acme', cursor: null, parkedLeft: 0, runs: [submitted] };
    expect(() => fold(book, make.runsPagedIn(page))).toThrow(InvariantViolation);
  });

  it('DUR-01 end a run only when all of its tasks have ended', () => {
    const { book } = inState('RUNNING');
    expect(() =>
      fold(book, end(ABOUT_TASK.taskSucceeded.make(1) as TaskOutcome, 'FAILED')),
    ).toThrow(InvariantViolation);
  });

  it.each(RUN_STATES)('DUR-01 end a run as %s only if that is terminal', (state) => {
    const { book, run } = inState('CANCELLED');
    fold(book, make.taskAssigned({ ...of(1), task: 1, worker: 'w', token: 1, score: 0 }));
    const last = make.taskFailed({ ...of(1), task: 1, reason: 'permanent', error: '' });
    const terminal = ['SUCCEEDED', 'PARTIAL', 'FAILED', 'CANCELLED'].includes(state);
    if (terminal) {
      fold(book, end(last, state));
      expect(run.state).toBe(state);
      expect(book.runs.size).toBe(0);
      // Nothing can be said about it any more.
      expect(() => fold(book, end(last, state))).toThrow(InvariantViolation);
    } else expect(() => fold(book, end(last, state))).toThrow(InvariantViolation);
  });
});
