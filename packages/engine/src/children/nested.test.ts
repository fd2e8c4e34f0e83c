import { describe, expect, it } from 'vitest';
import { DONE } from '../commands.ts';
import { decodeText, encodeText } from '../facts/text.ts';
import type { FailurePolicy } from '../model/graph-spec.ts';
import { nestedKey } from '../model/nested.ts';
import type { Attempt, RunHead, Task } from '../model/run.ts';
import { jobSpec } from '../model/spec.ts';
import { Recorded } from '../testing/recorded.ts';

/** A run whose second task waits for a nested one, beside another that runs. */
function nesting(params: { failurePolicy?: FailurePolicy; class?: 0 | 1 | 2 } = {}) {
  const { failurePolicy = 'FAIL_FAST', class: klass = 1 } = params;
  const h = new Recorded();
  h.addWorker({ total: { slots: 2 } });
  const tasks = [
    { name: 'a' },
    { name: 'n', after: ['a'], run: { job: 'inner' } },
    { name: 'beside', after: ['a'], retry: { attemptsMax: 1 } },
  ];
  h.submit({ job: 'outer', class: klass, graph: { failurePolicy }, tasks });
  h.succeed(h.acceptAll()[0] as Attempt);
  h.flush();
  const task = () => h.run(1).tasks[1] as Task;
  const wait = () => {
    const since = task().part?.waitsSince ?? 0;
    return { partition: 0, seq: 1, task: 1, since };
  };
  const key = () => nestedKey(task(), wait().since);
  const sayings = () => h.engine.core.words.map(({ saying }) => saying);
  return { h, task, wait, key, sayings };
}

const begun = { kind: 'nestedBegun', run: 'r', class: 1 } as const;
const end = {
  kind: 'nestedEnded',
  run: 'r',
  isGateClosed: false,
  error: '',
  output: null,
} as const;
const cancel = { kind: 'cancel', partition: 0, seq: 1, by: 'ann', reason: '' } as const;

describe('a task that waits for a nested run', () => {
  it('asks for it again after a take-over until its id is recorded, and then no more', () => {
    const { h, task, wait } = nesting();
    expect(h.effectsOf('startRun')).toHaveLength(1);
    h.takeOver();
    expect(h.effectsOf('startRun')).toHaveLength(2);
    expect(h.apply({ ...begun, ...wait() })).toEqual(DONE);
    h.flush();
    h.takeOver();
    h.takeOver({ checkpoint: h.saveCheckpoint() });
    expect(task().part?.nested).toBe('r');
    expect(h.effectsOf('startRun')).toHaveLength(2);
    h.apply({ ...begun, ...wait(), run: 'another' });
    expect(task().part?.nested).toBe('r');
  });

  it('ends as that run ends, with its output, once, and not by the end of an earlier one', () => {
    const { h, task, wait } = nesting();
    const of = wait();
    h.apply({ ...end, ...of, since: of.since - 1, state: 'FAILED' });
    expect(task().state).toBe('PENDING');
    h.apply({ ...end, ...of, state: 'SUCCEEDED', output: encodeText('7') });
    h.apply({ ...end, ...of, state: 'FAILED' });
    expect(task()).toMatchObject({ state: 'SUCCEEDED', part: { nested: 'r' } });
    expect(decodeText(task().output as Uint8Array)).toBe('7');
  });

  it('fails with the reason where that run failed, was cancelled by somebody, or cannot be', () => {
    for (const state of ['FAILED', 'CANCELLED'] as const) {
      const { h, task, wait, sayings } = nesting({ failurePolicy: 'CONTINUE' });
      h.apply({ ...end, ...wait(), state, error: ': it broke' });
      const error = `the run r ended as ${state}: it broke`;
      expect(task()).toMatchObject({ state: 'FAILED', error });
      expect(sayings()).toEqual([]);
    }
    const refused = nesting({ failurePolicy: 'CONTINUE' });
    const { h, task, wait, sayings } = refused;
    const key = refused.key();
    h.apply({ kind: 'nestedRefused', ...wait(), error: 'no job has the name "inner"' });
    expect(task()).toMatchObject({ state: 'FAILED', error: 'no job has the name "inner"' });
    // A submission of an earlier owner may still arrive.
    expect(sayings()).toMatchObject([{ kind: 'cancelNested', key }]);
  });

  it('owes its end to that run where it is cancelled, or a task beside it fails', () => {
    for (const isBegun of [false, true]) {
      const cancelled = nesting();
      const key = cancelled.key();
      if (isBegun) cancelled.h.apply({ ...begun, ...cancelled.wait() });
      cancelled.h.apply(cancel);
      expect(cancelled.sayings()).toMatchObject([{ kind: 'cancelNested', job: 'inner', key }]);
    }
    const failing = nesting();
    const { h, sayings } = failing;
    const key = failing.key();
    h.fail(h.acceptAll()[0] as Attempt);
    expect(sayings()).toMatchObject([{ kind: 'cancelNested', job: 'inner', key }]);
  });

  it('waits for another run where it was held after a failure and is resumed', () => {
    const { h, task, wait, key } = nesting({ failurePolicy: 'PAUSE' });
    const before = wait().since;
    const first = key();
    h.advance(10);
    h.apply({ ...end, ...wait(), state: 'FAILED' });
    expect(task()).toMatchObject({ state: 'PENDING', part: { nested: null, waitsSince: 0 } });
    h.apply({ kind: 'resumeRun', partition: 0, seq: 1, by: 'ann', fanOutMax: 0 });
    expect(key()).not.toBe(first);
    h.flush();
    // Each says which wait it is of, however late it is looked at.
    const waits = h.effectsOf('startRun').map(({ since }) => since);
    expect(waits).toEqual([before, wait().since]);
  });

  it('PRI-13 passes a class on that was raised later, also one that was raised on the way', () => {
    const { h, wait, sayings } = nesting({ class: 2 });
    const raise = (klass: 0 | 1 | 2) =>
      h.apply({ kind: 'changeClass', partition: 0, seq: 1, class: klass, by: 'ann', reason: '' });
    raise(1);
    expect(sayings()).toEqual([]);
    h.apply({ ...begun, ...wait(), class: 2 });
    expect(sayings()).toMatchObject([{ kind: 'raiseNested', class: 1 }]);
    raise(0);
    raise(2);
    expect(sayings()).toMatchObject([{ class: 1 }, { class: 0 }]);
  });
});

/** The side of the nested run. */
describe('a nested run', () => {
  const outer = { ms: 1, partition: 7, seq: 3 };
  const key = '\u0001nested/1/x';
  const of = 'a-run';
  const head: RunHead = { key, nested: { of, task: 'n', index: 1, since: 5 } };
  const about = { partition: 0, tenant: 'acme', key, holder: null, of: outer };

  it('is cancelled by the word of the run that waited, however often it is heard', () => {
    const h = new Recorded();
    const run = h.submit({ job: 'inner', head });
    const holder = { ms: run.ms, partition: 0, seq: 1 };
    expect(h.apply({ kind: 'cancelNested', ...about, holder })).toEqual(DONE);
    expect(run.state).toBe('CANCELLED');
    expect(h.apply({ kind: 'cancelNested', ...about, holder })).toEqual(DONE);
  });

  it('does not begin after that word, however late its submission comes', () => {
    const h = new Recorded();
    const claimed = h.apply({ kind: 'cancelNested', ...about });
    expect(claimed).toEqual({ kind: 'duplicate', ...outer });
    expect(h.trySubmit({ job: 'inner', head })).toEqual({ kind: 'duplicate', ...outer });
    expect(h.apply({ kind: 'cancelNested', ...about })).toEqual(claimed);
    // The store says that the key is the outer run's: the word is done with.
    expect(h.apply({ kind: 'cancelNested', ...about, holder: outer })).toEqual(DONE);
  });

  it('PRI-13 becomes as urgent as the run that waits, and never less', () => {
    const h = new Recorded();
    const { ms } = h.submit({ job: 'inner', head });
    const raised = { kind: 'raiseNested', ...about, class: 0 } as const;
    expect(h.apply(raised)).toMatchObject({ kind: 'refused', code: 'unavailable' });
    const holder = { ms, partition: 0, seq: 1 };
    for (const [asked, klass] of [
      [2, 1],
      [0, 0],
      [1, 0],
    ] as const) {
      expect(h.apply({ ...raised, holder, class: asked })).toEqual(DONE);
      expect(h.run(1).class).toBe(klass);
    }
  });

  it('goes beside others of a job that excludes overlap, and does not keep others out', () => {
    const h = new Recorded();
    const definition = { overlap: 'skip' as const, tasks: [{}] };
    const spec = jobSpec({ tenant: 'acme', job: 'inner', version: 1, definition });
    const second = { ...head, key: `${key}/2` };
    for (const [own, kind] of [
      [head, 'accepted'],
      [second, 'accepted'],
      [{}, 'accepted'],
      [{}, 'duplicate'],
    ] as const) {
      expect(h.trySubmit({ spec, head: own }).kind).toBe(kind);
    }
  });
});
