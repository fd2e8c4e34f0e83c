import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  cel,
  type Decision,
  type InputOf,
  isolated,
  job,
  type OutputOf,
  optional,
  type Parts,
  type Pipeline,
  pipeline,
} from '../index.ts';

interface Day {
  readonly day: string;
}
interface File {
  readonly name: string;
  readonly bytes: number;
}
const list = (_input: Day): { files: File[]; total: number } => ({ files: [], total: 0 });
const greet = job('greet', (input: { name: string }) => `hello, ${input.name}`);

describe('the types of a pipeline', () => {
  it('flow from the input through every task to the output', () => {
    const etl = pipeline('etl', (p: Pipeline<Day>) => {
      const listed = p.task('list', list);
      const converted = p.fanOut('convert', { from: listed.output.files }, (part) => {
        expectTypeOf(part.item).toEqualTypeOf<File>();
        expectTypeOf(part.partition).toEqualTypeOf<number>();
        return part.item.bytes;
      });
      const from = listed.output.total;
      p.fanOut('count', { from, inputs: { day: p.input.day } }, (part) => {
        expectTypeOf(part.day).toEqualTypeOf<string>();
        expectTypeOf(part.total).toEqualTypeOf<number>();
      });
      const inputs = { parts: converted, day: p.input.day, total: optional(from), mode: 7 };
      p.task('load', { inputs }, (given) => {
        expectTypeOf(given.parts).toEqualTypeOf<Parts<number>>();
        expectTypeOf(given.day).toEqualTypeOf<string>();
        expectTypeOf(given.mode).toEqualTypeOf<number>();
        expectTypeOf(given.total).toEqualTypeOf<number | undefined>();
        return { rows: given.parts.results.length };
      });
    });
    expectTypeOf<InputOf<typeof etl>>().toEqualTypeOf<Day>();
    expectTypeOf<OutputOf<typeof etl>>().toEqualTypeOf<unknown>();
    expect(etl.definition.tasks).toHaveLength(4);
  });

  it('flow through a fan-out of what a fan-out gave', () => {
    const again = pipeline('again', (p: Pipeline<Day>) => {
      const listed = p.task('list', list);
      const from = listed.output.files;
      const sized = p.fanOut('size', { from }, ({ item }) => ({ bytes: item.bytes }));
      const when = cel`${sized.output.failures}.size() == 0 && ${sized.output.results[0]} != null`;
      return p.fanOut('send', { from: sized.output.results, when }, ({ item }) => {
        expectTypeOf(item).toEqualTypeOf<{
          readonly partition: number;
          readonly output: { bytes: number };
        }>();
      });
    });
    expect(again.definition.tasks?.[2]).toEqual({
      name: 'send',
      handler: 'again.send',
      after: ['size'],
      fanOut: { from: 'size', path: 'results' },
      when: 'tasks.size.output.failures.size() == 0 && tasks.size.output.results[0] != null',
    });
  });

  it('of waits and nested runs are known too', () => {
    const release = pipeline('release', (p: Pipeline<{ name: string }>) => {
      const asked = p.approval('ask', { message: 'go?' });
      const paid = p.event<{ amount: number }>('paid', { type: 'payment', after: [asked] });
      const greeted = p.run('greet', greet, { after: [paid] });
      return p.task('end', { inputs: { asked, paid, greeted } }, (given) => {
        expectTypeOf(given.asked).toEqualTypeOf<Decision>();
        expectTypeOf(given.paid).toEqualTypeOf<{ amount: number }>();
        expectTypeOf(given.greeted).toEqualTypeOf<string>();
      });
    });
    expect(release.definition.tasks).toHaveLength(4);
    expectTypeOf<OutputOf<typeof release>>().toEqualTypeOf<void>();
  });

  it('of a pipeline that takes nothing are so', () => {
    const tick = pipeline('tick', (p) => p.task('one', () => 1));
    expectTypeOf<InputOf<typeof tick>>().toEqualTypeOf<undefined>();
    expectTypeOf<OutputOf<typeof tick>>().toEqualTypeOf<number>();
    expect(tick.definition).toEqual({ tasks: [{ name: 'one', handler: 'tick.one' }] });
  });

  it('do not let a wrong flow compile', () => {
    const wrong = (p: Pipeline<Day>) => {
      const listed = p.task('list', list);
      return [
        // @ts-expect-error there is no `flies` in the output
        listed.output.flies,
        // @ts-expect-error the run has no such input
        p.input.month,
        // @ts-expect-error a total is a number, the handler wants a text
        p.task('a', { inputs: { n: listed.output.total } }, (given: { n: string }) => given.n),
        // @ts-expect-error the handler wants more than it is given
        p.task('b', { inputs: { n: listed.output.total } }, (given: { m: number }) => given.m),
        // @ts-expect-error without inputs it is given the run's input
        p.task('c', { after: [listed] }, (given: { files: File[] }) => given.files),
        // @ts-expect-error a text is no list of items
        p.fanOut('d', { from: p.input.day }, () => 1),
        // @ts-expect-error an item is a file, the handler wants a number
        p.fanOut('e', { from: listed.output.files }, (part: { item: number }) => part.item),
        // @ts-expect-error only what is counted has no items
        p.fanOut('f', { from: listed.output.total }, (part) => part.item),
        // @ts-expect-error a name of a task is no task
        p.task('g', { after: ['list'] }, () => 1),
        // @ts-expect-error the nested job takes a name
        p.run('h', greet),
        // @ts-expect-error the nested job takes a text
        p.run('i', greet, { inputs: { name: listed.output.total } }),
        // @ts-expect-error a sleep says how long
        p.sleep('j', { after: [listed] }),
        // @ts-expect-error an event has a type
        p.event('k', { after: [listed] }),
        // @ts-expect-error what it answers are no tasks
        p.dynamic('l', { after: [listed] }, () => [{ name: 'm' }]),
        // @ts-expect-error no such answer
        p.approval('n', { default: 'maybe' }),
      ];
    };
    // @ts-expect-error no such policy
    const options = () => pipeline('p', { failurePolicy: 'FAIL_SLOW' }, (p) => p.task('a', list));
    expect([wrong, options]).toHaveLength(2);
  });

  it('are those of the file where a handler has one of its own', () => {
    const module = new URL('../test-programs/doubled.ts', import.meta.url);
    type Doubled = (input: { n: number }) => number;
    const doubled = isolated<Doubled>(module);
    const twice = pipeline('twice', (p: Pipeline<{ n: number }>) => {
      const once = p.task('once', doubled);
      return p.task('again', { inputs: { n: once } }, doubled);
    });
    expectTypeOf<OutputOf<typeof twice>>().toEqualTypeOf<number>();
    expect([...twice.handlers.keys()]).toEqual(['twice.once', 'twice.again']);
  });
});
