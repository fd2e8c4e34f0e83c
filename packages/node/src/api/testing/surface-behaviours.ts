import type { HandlerContext, Result } from '@signalbox/worker';
import { PermanentError, TransientError } from '@signalbox/worker';
import fc from 'fast-check';
import { ODD } from './from-schema.ts';
import type { Behaviour } from './surface-world.ts';

/** Beside the odd ones: the ends of ranges, and what JSON or the journal could choke on. */
const VALUES: readonly unknown[] = [
  ...ODD,
  1,
  31_536_000_000,
  31_536_000_001,
  undefined,
  10n,
  Symbol('s'),
  new Uint8Array([0, 255]),
  new Date(Number.NaN),
  'z'.repeat(300_000),
];
const value = fc.constantFrom(...VALUES);
const number = value.map((each) => each as number);

const HANDLERS: fc.Arbitrary<(context: HandlerContext, input: unknown) => unknown> = fc.oneof(
  value.map((output) => () => output),
  value.map((thrown) => () => {
    throw thrown;
  }),
  number.map((retryAfter) => () => {
    throw new TransientError('later', { retryAfter });
  }),
  value.map((text) => () => {
    throw new PermanentError(text as string);
  }),
  number.map((ms) => (context: HandlerContext) => context.extend(ms)),
  number.map((fraction) => (context: HandlerContext) => context.progress(fraction)),
  value.map((state) => async (context: HandlerContext) => {
    await context.checkpoint.save(state);
    throw new PermanentError('saved');
  }),
  value.map((text) => (context: HandlerContext) => {
    context.log.info(text as string, { text });
  }),
);

/** What an executor written in JavaScript may return and report. */
const RAW: fc.Arbitrary<Behaviour['raw']> = fc
  .record({
    kind: fc.constantFrom<unknown>('succeeded', 'failed', 'failed', 'stopped', 'odd', null),
    error: value,
    class: fc.constantFrom<unknown>('transient', 'permanent', 'resource', 'odd', null, 7),
    exitCode: value,
    retryAfterMs: value,
    output: fc.constantFrom<unknown>(null, undefined, 'text', new Uint8Array([123, 0]), 5),
    report: fc.constantFrom('none', 'extend', 'progress', 'log', 'checkpoint'),
    reported: value,
  })
  .map(({ report, reported, ...result }) => async (attempt) => {
    const told = reported as never;
    if (report === 'extend') await attempt.extend(told);
    if (report === 'progress') attempt.progress(told);
    if (report === 'log') attempt.log(told, 'a line');
    if (report === 'checkpoint') await attempt.saveCheckpoint(told);
    return result as unknown as Result;
  });

export const behaviour: fc.Arbitrary<Behaviour> = fc
  .tuple(HANDLERS, RAW)
  .map(([handle, raw]) => ({ handler: (input, context) => handle(context, input), raw }));
