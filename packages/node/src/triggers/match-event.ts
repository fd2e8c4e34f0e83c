import crypto from 'node:crypto';
import { reservedKey } from '@signalbox/engine';
import type { Allowance } from '../cel/meter.ts';
import type { Json } from '../cel/to-json.ts';
import type { CompiledTrigger } from './compile-trigger.ts';
import type { Event } from './event.ts';

/** What a trigger makes of an event. */
export type Match =
  | {
      readonly kind: 'run';
      readonly key: string;
      /** Bytes are those of an event that is not JSON: the input is these bytes. */
      readonly input: Json | Uint8Array | undefined;
    }
  /** The filter is not true, or cannot be evaluated. */
  | { readonly kind: 'passed'; readonly reason: string }
  /** It wants it, and no run can be made of it. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Whether a trigger listens to events of this source, type and subject; a cheap check that excludes most. */
export function listensTo(trigger: CompiledTrigger, event: Event): boolean {
  return (
    !trigger.paused &&
    trigger.hook === null &&
    fits(trigger.type, event.type) &&
    fits(trigger.source, event.source) &&
    fits(trigger.subject, event.subject ?? '')
  );
}

/** Exactly, or as far as the `*` at its end. */
export function fits(pattern: string | null, text: string): boolean {
  if (pattern === null || pattern === text) return true;
  return pattern.endsWith('*') && text.startsWith(pattern.slice(0, -1));
}

interface MatchOptions {
  readonly allowance?: Allowance;
  /** What is known by when it is delivered again, where that is not its source and id. */
  readonly identity?: string;
}

export function matchEvent(
  trigger: CompiledTrigger,
  event: Event,
  options: MatchOptions = {},
): Match {
  const { allowance } = options;
  const variables = { event };
  if (trigger.filter !== null) {
    const wanted = trigger.filter.evaluate(variables, allowance);
    if (wanted.kind === 'error') return { kind: 'passed', reason: `filter: ${wanted.message}` };
    if (wanted.value !== true) return { kind: 'passed', reason: 'filter: false' };
  }
  const named = nameOf(trigger, event, options);
  if (named.kind === 'error')
    return { kind: 'refused', reason: `idempotencyKey: ${named.message}` };
  const key = keyOf(trigger.name, named.parts);
  if (trigger.input === null) return { kind: 'run', key, input: dataOf(event) };
  const input = trigger.input.evaluate(variables, allowance);
  if (input.kind === 'error') return { kind: 'refused', reason: input.message };
  return { kind: 'run', key, input: input.value };
}

/** The data as its sender sent it: JSON, or bytes. */
function dataOf(event: Event): Json | Uint8Array | undefined {
  const { data, data_base64: base64 } = event;
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64') : data;
}

export function inputBytes(input: Json | Uint8Array | undefined): Uint8Array | null {
  if (input === undefined || input instanceof Uint8Array) return input ?? null;
  return new TextEncoder().encode(JSON.stringify(input));
}

type Named =
  | { readonly kind: 'named'; readonly parts: readonly Json[] }
  | { readonly kind: 'error'; readonly message: string };

function nameOf(
  trigger: CompiledTrigger,
  event: Event,
  { allowance, identity = event.id }: MatchOptions,
): Named {
  if (trigger.key === null) return { kind: 'named', parts: ['event', event.source, identity] };
  const result = trigger.key.evaluate({ event }, allowance);
  if (result.kind === 'error') return result;
  const { value } = result;
  if (value === null || value === '') return { kind: 'error', message: 'the result is empty' };
  return { kind: 'named', parts: ['key', value] };
}

/**
 * The idempotency key of the run: the store lets a tenant have one run under it, however often and
 * wherever the event is delivered. A digest, because a source is longer than a key may be; reserved, so
 * that no key of a client meets it.
 */
function keyOf(trigger: string, parts: readonly Json[]): string {
  return reservedKey(
    `event/${trigger}/${crypto.hash('sha256', JSON.stringify(parts), 'base64url')}`,
  );
}
