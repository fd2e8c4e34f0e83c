import { describe, expect, expectTypeOf, it } from 'vitest';
import { job, type Signalbox, type SubmitArgs, type SubmitOptions } from './index.ts';

const hello = job('hello', async (input: { name: string }) => `hello, ${input.name}`);
const broken = job('broken', async () => 1);

describe('the types of a submission', () => {
  it('are those of the job', () => {
    expectTypeOf<SubmitArgs<{ name: string }>>().toEqualTypeOf<
      [input: { name: string | { toJSON(): string } }, options?: SubmitOptions]
    >();
    expectTypeOf<SubmitArgs<undefined>>().toEqualTypeOf<
      [input?: undefined, options?: SubmitOptions]
    >();
    const wrong = (box: Signalbox) => [
      // @ts-expect-error the input is not what the job takes
      box.submit(hello, { nom: 'world' }),
      // @ts-expect-error the job takes an input
      box.submit(hello),
      // @ts-expect-error the job takes no input
      box.submit(broken, { name: 'world' }),
      // @ts-expect-error one of the inputs is not what the job takes
      box.submitMany(hello, [{ input: { name: 'a' } }, { input: 7 }]),
    ];
    expect(wrong).toHaveLength(1);
  });
});
