import { type HandlerContext, PermanentError } from '@signalbox/worker';
import type { AnyHandler, Handler } from '../work.ts';
import type { Given } from './inputs.ts';
import { placeOf } from './reference.ts';

/**
 * The handler behind a look at what it is given. Where a parent failed or was skipped and the task runs
 * all the same, that parent's output is not there; a handler whose types say that it is would go wrong
 * somewhere inside. One in a file of its own is not reached from here.
 */
export function requireInputs(handler: AnyHandler, inputs: Given): AnyHandler {
  if (typeof handler !== 'function') return handler;
  const needed = Object.entries(inputs).flatMap(([name, given]) => {
    const place = placeOf(given);
    if (place === null || place.task === null || place.isOptional) return [];
    return [{ name, task: place.task }];
  });
  if (needed.length === 0) return handler;
  const inner = handler as Handler<unknown, unknown>;
  const guarded: Handler<Readonly<Record<string, unknown>>, unknown> = (input, context) => {
    for (const { name, task } of needed) {
      if (Object.hasOwn(input, name)) continue;
      const state = stateOf(context, task);
      // One that succeeded and gave nothing is no mistake.
      if (state === 'SUCCEEDED') continue;
      throw new PermanentError(
        `its input ${name} is missing: ${task} is ${state}; say optional(…) to do without`,
      );
    }
    return inner(input, context);
  };
  return guarded as AnyHandler;
}

function stateOf({ parents }: HandlerContext, task: string): string {
  return parents[task]?.state ?? 'absent';
}
