import type { Evidence } from '../evidence.ts';
import type { HistoryEvent } from '../history.ts';
import { givenBytes, runKey } from '../names.ts';
import { Calendar } from './calendar.ts';
import type { Checker } from './checker.ts';

const HOUR_MS = 3_600_000;
/** Retention never comes nearer to the present than this. */
const PRESENT_MS = 2 * HOUR_MS;

/**
 * C20: retention drops only what is old and what nobody needs: no run that has not ended, no fact
 * behind a checkpoint, no key of a live or recent run, no blob that something refers to. What is
 * kept can be read.
 */
export const keptHistory: Checker = {
  name: 'C20',
  promise: 'what is needed or recent is kept',
  check: (evidence) => {
    const spreadMs = spreadOf(evidence.events);
    const drops = evidence.events.flatMap((event) => droppedTooMuch(evidence, event, spreadMs));
    return [...drops, ...deniedInputs(evidence)];
  },
};

/** How far apart the store's clock has been from itself, where nobody calls it wrong by months. */
function spreadOf(events: readonly HistoryEvent[]): number {
  let [ms, least, most] = [0, 0, 0];
  for (const event of events) {
    if (event.kind !== 'clock.step' || Math.abs(event.byMs) > 24 * HOUR_MS) continue;
    ms += event.byMs;
    least = Math.min(least, ms);
    most = Math.max(most, ms);
  }
  return most - least;
}

function droppedTooMuch({ options }: Evidence, event: HistoryEvent, spreadMs: number): string[] {
  const { keeping } = options.wild;
  switch (event.kind) {
    case 'segment.dropped': {
      const historyMs = Math.max(PRESENT_MS, keeping?.historyMs ?? Number.POSITIVE_INFINITY);
      const open = event.open.map((run) => `run ${run} was dropped before it had ended`);
      if (event.toMs <= event.trueMs - historyMs + spreadMs) return open;
      const hours = Math.round((event.trueMs - event.toMs) / HOUR_MS);
      return [...open, `a segment was dropped that ended ${hours} hours before the present`];
    }
    case 'groups.dropped':
      return [...event.gaps];
    case 'keys.forgotten': {
      const live = event.live.map((key) => `the key ${key} was forgotten while its run lived`);
      // Client and server measure with clocks of their own.
      const leastMs = (keeping?.keysMs ?? Number.POSITIVE_INFINITY) / 2 - spreadMs;
      if (event.youngestMs >= leastMs) return live;
      return [...live, `a key was forgotten ${event.youngestMs} ms after it was given`];
    }
    case 'blobs.collected':
      return [...event.needed];
    default:
      return [];
  }
}

/** Whoever asks for the input of a kept run gets all of it. */
function deniedInputs({ events, runs }: Evidence): string[] {
  const calendar = new Calendar(events);
  const byName = new Map(runs.map(({ run }) => [runKey(run.id), run]));
  return events.flatMap((event) => {
    if (event.kind !== 'input.read') return [];
    const run = byName.get(runKey(event.id));
    if (run === undefined || calendar.isDropped(event.id, event.t)) return [];
    const wanted = givenBytes(run);
    if (event.bytes === wanted) return [];
    return [`the input of run ${runKey(event.id)} has ${wanted} bytes, ${event.bytes} were given`];
  });
}
