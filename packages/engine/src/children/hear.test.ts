import { describe, expect, it } from 'vitest';
import { decodeText, encodeText } from '../facts/text.ts';
import type { TaskDefinition } from '../model/spec.ts';
import { dumpBook } from '../testing/book-dump.ts';
import { Recorded } from '../testing/recorded.ts';
import type { GraphPorts } from './ports.ts';

/**
 * Filters are words: `x` wants an event that holds it, `input:x` an input as well, `tasks:x` that the
 * task before gave it.
 */
const PORTS: GraphPorts = {
  judge(expression, { event, input, tasks }) {
    if (event === undefined) return { value: true };
    const [first, second] = expression.split(':');
    const text = decodeText(event);
    if (second === undefined) return { value: text.includes(first as string) };
    if (first === 'input') return { value: text.includes(decodeText(input as Uint8Array)) };
    const output = tasks.get('a')?.output ?? null;
    return output === null ? { error: 'it has not ended' } : { value: text === decodeText(output) };
  },
  reads: (expression) => ({
    input: expression.startsWith('input:'),
    tasks: expression.startsWith('tasks:'),
  }),
  readAddition: (_spec, output) => JSON.parse(decodeText(output)),
};

function world(tasks: readonly TaskDefinition[], input: string | null = null) {
  const h = new Recorded({ graphPorts: PORTS });
  h.addWorker();
  const submit = () => h.submit({ tasks, input: input === null ? null : encodeText(input) });
  const run = submit();
  h.flush();
  const succeedNext = (output = '1') => {
    const [attempt] = h.acceptAll();
    if (attempt === undefined) throw new Error('nothing runs');
    h.succeed(attempt, encodeText(output));
    h.flush();
  };
  const hear = (data: string, key = data) => {
    const event = encodeText(data);
    const answer = h.apply({
      kind: 'event',
      partition: 0,
      tenant: 'acme',
      type: 'paid',
      key,
      event,
    });
    h.flush();
    return answer;
  };
  const states = (seq = 1) => h.run(seq).tasks.map((task) => task.state);
  return { h, run, submit, succeedNext, hear, states };
}

const wait = (name: string, after: string[], when?: string): TaskDefinition => {
  return { name, after, event: { type: 'paid', ...(when === undefined ? {} : { when }) } };
};
const last = (after: string[]): TaskDefinition => ({ name: 'end', after });

describe('EXT-16 an event that comes before the wait', () => {
  it('is kept as a fact of the run, across take-overs, and ends the wait as it begins', () => {
    const w = world([{ name: 'a' }, wait('w', ['a']), last(['w'])]);
    w.hear('{"n":1}');
    expect(w.states()).toEqual(['QUEUED', 'PENDING', 'PENDING']);
    w.h.takeOver();
    const before = dumpBook(w.h.book);
    w.h.takeOver({ checkpoint: w.h.saveCheckpoint() });
    expect(dumpBook(w.h.book)).toEqual(before);
    w.h.addWorker();
    w.succeedNext();
    expect(w.states()[1]).toBe('SUCCEEDED');
    expect(decodeText(w.h.run(1).tasks[1]?.output as Uint8Array)).toBe('{"n":1}');
    expect(w.h.factsOf('eventTaken')).toHaveLength(1);
  });

  it('is kept only where its filter lets it through, and not more of them than waits can take', () => {
    const w = world([{ name: 'a' }, wait('w', ['a'], 'yes'), wait('v', ['w'], 'yes'), last(['v'])]);
    for (const data of ['no 1', 'yes 1', 'no 2', 'yes 2', 'yes 3', 'yes 4']) w.hear(data);
    expect(w.h.factsOf('eventKept').map(({ key }) => key)).toEqual(['yes 1', 'yes 2']);
    w.succeedNext();
    expect(w.states()).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'QUEUED']);
  });

  it('is judged when the wait begins where the filter looks at what a parent gave', () => {
    const w = world([{ name: 'a' }, wait('w', ['a'], 'tasks:a'), last(['w'])]);
    for (const data of ['"one"', '"two"', '"three"']) w.hear(data);
    w.succeedNext('"two"');
    expect(decodeText(w.h.run(1).tasks[1]?.output as Uint8Array)).toBe('"two"');
  });

  it('is one of a hundred that a run keeps unjudged: the oldest go', () => {
    const w = world([{ name: 'a' }, wait('w', ['a'], 'tasks:a'), last(['w'])]);
    for (let n = 0; n <= 100; n++) w.hear(`"${n}"`);
    const kept = w.h.run(1).graph?.events?.kept.map(({ key }) => key) ?? [];
    expect(kept).toHaveLength(100);
    expect(kept[0]).toBe('"1"');
    w.succeedNext('"0"');
    expect(w.states()[1]).toBe('PENDING');
    w.hear('"0"');
    expect(w.states()[1]).toBe('SUCCEEDED');
  });

  it('goes to the branch that is taken, where another of the run might have taken it', () => {
    const skipped = { ...wait('v', ['a']), when: 'never' };
    const judge: GraphPorts['judge'] = (expression, scope) =>
      expression === 'never' ? { value: false } : PORTS.judge(expression, scope);
    const h = new Recorded({ graphPorts: { ...PORTS, judge } });
    h.addWorker();
    h.submit({ tasks: [{ name: 'a' }, skipped, wait('w', ['a']), { name: 'b', after: ['w'] }] });
    const of = { partition: 0, tenant: 'acme', type: 'paid', key: 'k', event: encodeText('1') };
    h.apply({ kind: 'event', ...of });
    const [attempt] = h.acceptAll();
    if (attempt !== undefined) h.succeed(attempt);
    expect(h.run(1).tasks.map(({ state }) => state)).toEqual([
      'SUCCEEDED',
      'SKIPPED',
      'SUCCEEDED',
      'QUEUED',
    ]);
  });

  it('does not hold where the run had not been submitted', () => {
    const w = world([wait('w', []), last(['w'])]);
    w.hear('early');
    w.submit();
    expect(w.states(2)).toEqual(['PENDING', 'PENDING']);
  });
});

describe('EXT-16 an event counts once in a run', () => {
  it('for one wait, and told again for none that comes later', () => {
    const w = world([wait('w', []), wait('v', ['w']), last(['v'])]);
    w.hear('{}', 'e1');
    expect(w.states()).toEqual(['SUCCEEDED', 'PENDING', 'PENDING']);
    w.hear('{}', 'e1');
    w.h.takeOver();
    w.hear('{}', 'e1');
    w.h.takeOver({ checkpoint: w.h.saveCheckpoint() });
    w.hear('{}', 'e1');
    expect(w.states()).toEqual(['SUCCEEDED', 'PENDING', 'PENDING']);
    w.hear('{}', 'e2');
    expect(w.states()[1]).toBe('SUCCEEDED');
  });

  it('for the first of two waits that would both take it, and in every run', () => {
    const w = world([wait('w', []), wait('v', []), last(['w', 'v'])]);
    w.submit();
    w.hear('{}');
    expect([w.states(1), w.states(2)]).toEqual([
      ['SUCCEEDED', 'PENDING', 'PENDING'],
      ['SUCCEEDED', 'PENDING', 'PENDING'],
    ]);
  });

  it('and is not kept for runs that are cancelled, nor looked for once nothing waits', () => {
    const w = world([{ name: 'a' }, wait('w', ['a']), last(['w'])]);
    w.h.acceptAll();
    w.h.apply({ kind: 'cancel', partition: 0, seq: 1, by: 'ann', reason: '' });
    w.hear('{}');
    expect(w.h.factsOf('eventKept')).toEqual([]);
    expect(w.h.engine.core.eventWaits.of('acme', 'paid')).toEqual([]);
  });
});

describe('EXT-16 a filter that looks at the input of a recovered run', () => {
  it('is asked again when the input has been read, and nothing of the event is lost', () => {
    const w = world([wait('w', [], 'input:'), last(['w'])], 'order 7');
    w.h.takeOver();
    expect(w.hear('order 7')).toMatchObject({ kind: 'refused', code: 'unavailable' });
    expect(w.h.effectsOf('loadInput')).toHaveLength(1);
    w.h.run(1).input = encodeText('order 7');
    expect(w.hear('order 7')).toEqual({ kind: 'done' });
    expect(w.states()[0]).toBe('SUCCEEDED');
  });

  it('does not hold up an event whose filters look at nothing but the event', () => {
    const w = world([wait('w', [], 'order'), last(['w'])], 'order 7');
    w.h.takeOver();
    expect(w.hear('order 8')).toEqual({ kind: 'done' });
    expect(w.states()[0]).toBe('SUCCEEDED');
  });

  it('holds up the wait that finds a kept event until the input has been read', () => {
    const w = world([{ name: 'a' }, wait('w', ['a'], 'input:'), last(['w'])], 'order 7');
    w.hear('order 7');
    w.h.takeOver();
    w.h.addWorker();
    w.succeedNext();
    expect(w.states()[1]).toBe('PENDING');
    w.h.run(1).input = encodeText('order 7');
    w.h.apply({ kind: 'reevaluate', partition: 0, seq: 1 });
    expect(w.states()[1]).toBe('SUCCEEDED');
  });
});

describe('a run that waits for events', () => {
  it('stays in memory where others are parked', () => {
    const h = new Recorded({ settings: { queueWindow: 1, horizonMs: 1_000 }, graphPorts: PORTS });
    const far = { head: { dueAt: h.now + 3_600_000 } };
    expect(h.trySubmit({ ...far })).toMatchObject({ kind: 'accepted', seq: 1 });
    expect(h.engine.core.books.get(0)?.runs.has(1)).toBe(false);
    h.submit({ ...far, tasks: [wait('w', []), last(['w'])] });
    h.submit({});
    h.submit({ tasks: [wait('w', []), last(['w'])] });
    expect([...(h.engine.core.books.get(0)?.runs.keys() ?? [])]).toEqual([2, 3, 4]);
  });

  it('may be given such waits at run time where its job says for which events', () => {
    const added = JSON.stringify({ tasks: [{ ...wait('w', ['a']), name: 'w' }], edges: [] });
    const outcome = (hears?: string[]) => {
      const h = new Recorded({ graphPorts: PORTS });
      h.addWorker();
      const graph = hears === undefined ? {} : { hears };
      const run = h.submit({ tasks: [{ name: 'a', dynamic: true }], graph });
      const [attempt] = h.acceptAll();
      if (attempt !== undefined) h.succeed(attempt, encodeText(added));
      const event = encodeText('1');
      h.apply({ kind: 'event', partition: 0, tenant: 'acme', type: 'paid', key: 'k', event });
      return run.tasks.map(({ state, error }) => error ?? state);
    };
    expect(outcome(['paid'])).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    const [error] = outcome();
    expect(error).toContain('which is not in eventTypes of the job');
  });
});

describe('EXT-16 a word to one task', () => {
  const tasks = [wait('w', []), { name: 'ask', approval: {} }, last(['w', 'ask'])];
  const of = { partition: 0, seq: 1 };
  const event = encodeText('"go"');

  it('ends its wait for an event, whatever its filter says', () => {
    const w = world([wait('w', [], 'never'), last(['w'])]);
    expect(w.h.apply({ kind: 'signal', ...of, task: 0, event })).toEqual({ kind: 'done' });
    expect(decodeText(w.h.run(1).tasks[0]?.output as Uint8Array)).toBe('"go"');
    expect(w.h.apply({ kind: 'signal', ...of, task: 0, event })).toMatchObject({ code: 'invalid' });
  });

  it('is refused where it waits for something else', () => {
    const w = world(tasks);
    const signal = w.h.apply({ kind: 'signal', ...of, task: 1, event });
    const said = { decision: 'approve', by: 'ann', comment: '' } as const;
    const approval = w.h.apply({ kind: 'approve', ...of, task: 0, ...said });
    expect(signal).toMatchObject({ message: 'the task does not wait for an event' });
    expect(approval).toMatchObject({ message: 'the task does not wait for an approval' });
    expect(w.states()).toEqual(['PENDING', 'PENDING', 'PENDING']);
  });
});
