import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { type AttemptRecord, Run, type Task } from '../model/run.ts';
import { TASK_STATES } from '../model/states.ts';
import { buildSpec } from '../testing/builders.ts';
import { text } from '../testing/fact-arbitraries.ts';
import { encodeDetail, parseDetail } from './detail.ts';
import { REASONS } from './reasons.ts';

const SUBMITTED_AT = 1_750_000_000_000;
// 0 says that it never started.
const startedAt = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 4_000_000_000_000 }));
const at = fc.integer({ min: 0, max: 4_000_000_000_000 });
const record: fc.Arbitrary<AttemptRecord> = fc.record({
  number: fc.nat(),
  worker: text,
  assignedAt: at,
  startedAt,
  endedAt: at,
  outcome: fc.constantFrom(...Object.keys(REASONS)),
});
const task = fc.record({
  state: fc.constantFrom(...TASK_STATES),
  error: fc.option(text, { nil: null }),
  attempts: fc.array(record, { maxLength: 4 }),
});

function runOf(taskCount: number): Run {
  const spec = buildSpec({ tasks: Array.from({ length: taskCount }, () => ({})) });
  const head = {};
  const rest = { spec, head, class: 1 as const, input: null, inputBytes: 0 };
  return new Run({ partition: 0, seq: 1, ms: SUBMITTED_AT, ...rest });
}

describe('the detail of an ended run', () => {
  it('is read back as it was written, the last attempt included', () => {
    assertProperty(
      fc.property(fc.array(task, { minLength: 1, maxLength: 4 }), fc.nat(), (tasks, pick) => {
        const run = runOf(tasks.length);
        const last = pick % tasks.length;
        for (const [i, { state, error, attempts }] of tasks.entries()) {
          const target = run.tasks[i] as Task;
          const past = i === last ? attempts.slice(0, -1) : attempts;
          target.history = past.length === 0 ? null : [...past];
          if (i === last) continue;
          target.state = state;
          target.error = error;
        }
        const { state, error, attempts } = tasks[last] as (typeof tasks)[number];
        const ending = run.tasks[last] as Task;
        const attempt = attempts.at(-1) ?? null;
        const told = { task: ending, state, error, attempt, output: null, failedBy: null };
        const detail = encodeDetail(run, told, SUBMITTED_AT + 1);
        const errorOf = (task: (typeof tasks)[number]) =>
          task.state === 'SUCCEEDED' ? null : task.error;
        expect(parseDetail(detail, SUBMITTED_AT).tasks).toEqual(
          tasks.map((task) => ({ ...task, error: errorOf(task), output: null })),
        );
      }),
    );
  });

  it('is refused where its version is not known', () => {
    expect(() => parseDetail('[3]', SUBMITTED_AT)).toThrow('version 3');
  });
});
