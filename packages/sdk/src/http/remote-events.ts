import { setTimeout as pause } from 'node:timers/promises';
import type { BoxEvent } from '../backend.ts';
import { SignalboxError } from '../errors.ts';
import { readEventStream } from './event-stream.ts';
import type { HttpClient } from './http-client.ts';

const PAUSE_MS = 250;
const PAUSE_MAX_MS = 10_000;
const TOO_LATE =
  'the event stream was interrupted for too long, and events were missed; read the current state of the runs';
/** How the run stands, and what it prints: there are other ways to ask for these. */
const BESIDE_FACTS: ReadonlySet<string> = new Set(['state', 'log']);

/**
 * Events as they become durable. A stream that breaks is taken up again behind the last event that
 * came; what the node refuses (no such run, no right to it) is thrown.
 */
export async function* remoteEvents(params: {
  client: HttpClient;
  path: string;
  signal: AbortSignal;
}): AsyncGenerator<BoxEvent> {
  const { client, path, signal } = params;
  let last = '';
  let failures = 0;
  while (!signal.aborted) {
    try {
      const resume: Record<string, string> = last === '' ? {} : { 'last-event-id': last };
      const headers = { ...resume, accept: 'text/event-stream' };
      for await (const message of readEventStream(await client.stream(path, signal, headers))) {
        failures = 0;
        last = message.id;
        // The stream of a run is over with the run.
        if (message.event === 'end') return;
        if (message.event === 'reset') throw new SignalboxError('unavailable', TOO_LATE);
        if (!BESIDE_FACTS.has(message.event)) yield JSON.parse(message.data) as BoxEvent;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof SignalboxError && isRefusal(error)) throw error;
    }
    const ms = Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** failures++);
    await pause(ms, undefined, { signal }).catch(() => {});
  }
}

function isRefusal({ code, status, message }: SignalboxError): boolean {
  if (message === TOO_LATE) return true;
  // Something answers there that is not a node.
  if (code === 'unreachable' && status !== 0) return true;
  return status >= 400 && status < 500 && status !== 429 && status !== 408;
}
