import { type HandlerContext, PermanentError } from '@signalbox/worker';
import type { AnyHandler, Handler } from '../work.ts';
import { type Found, type Given, referencesIn } from './inputs.ts';

/**
 * The handler behind a look at what it is given. Where a parent failed or was skipped and the task runs
 * all the same, that parent's output is not there; a handler whose types say that it is would go wrong
 * somewhere inside. One in a file of its own is not reached from here.
 */
export function requireInputs(handler: AnyHandler, inputs: Given): AnyHandler {
  if (typeof handler !== 'function') return handler;
  const needed = referencesIn(inputs).flatMap(({ at, place }) => {
    return place.task === null || place.isOptional ? [] : [{ at, task: place.task }];
  });
  if (needed.length === 0) return handler;
  const inner = handler as Handler<unknown, unknown>;
  const guarded: Handler<Readonly<Record<string, unknown>>, unknown> = (input, context) => {
    for (const { at, task } of needed) {
      if (isThere(input, at)) continue;
      const state = stateOf(context, task);
      // One that succeeded and gave nothing is no mistake.
      if (state === 'SUCCEEDED') continue;
      throw new PermanentError(
        `the input ${nameOf(at)} is missing, because task ${task} is ${state}; use optional(…) if the task can run without this input`,
      );
    }
    return inner(input, context);
  };
  return guarded as AnyHandler;
}

/** A list has null for what is missing. */
function isThere(input: unknown, at: Found['at']): boolean {
  let value = input;
  for (const step of at) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return false;
    value = (value as Readonly<Record<string | number, unknown>>)[step];
    if (typeof step === 'number' && value === null) return false;
  }
  return true;
}

/** `both[0].name` */
function nameOf([first, ...rest]: Found['at']): string {
  return `${first}${rest.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')}`;
}

function stateOf({ parents }: HandlerContext, task: string): string {
  return parents[task]?.state ?? 'absent';
}
