import type { Evidence } from '../evidence.ts';
import type { StreamLog, StreamMessage } from '../stream-log.ts';
import type { Dice } from '../world/streams.ts';
import { any, type Mutant } from './mutant.ts';

/** Changes the messages of one stream, around one of its events. */
function changed(
  evidence: Evidence,
  dice: Dice,
  change: (messages: readonly StreamMessage[], at: number) => StreamMessage[] | null,
): Evidence | null {
  const places = evidence.streams.flatMap((log) =>
    log.messages.flatMap((message, at) => (isMiddle(log, at) ? [{ log, message, at }] : [])),
  );
  const place = any(dice, places);
  const messages = place && change(place.log.messages, place.at);
  if (place === null || messages === null) return null;
  const streams = evidence.streams.map((log) => (log === place.log ? { ...log, messages } : log));
  return { ...evidence, streams };
}

/** Between two others of the same partition, so that both its neighbours tell where it was. */
function isMiddle({ messages }: StreamLog, at: number): boolean {
  const [before, own, next] = [messages[at - 1], messages[at], messages[at + 1]];
  const isAll = before?.kind === 'event' && own?.kind === 'event' && next?.kind === 'event';
  return isAll && before.run === own.run && own.run === next.run;
}

/** The stream of a tenant that is open at the end, with at least one event since its last connection. */
function silenced(evidence: Evidence, dice: Dice): Evidence | null {
  const places = evidence.streams.flatMap((log) => {
    const resumedAt = log.messages.findLastIndex(({ kind }) => kind === 'resumed');
    const isIt = (message: StreamMessage, at: number): boolean =>
      at > resumedAt && message.kind === 'event';
    if (log.open === null || log.run !== null) return [];
    return log.messages.flatMap((message, at) => (isIt(message, at) ? [{ log, at }] : []));
  });
  const place = any(dice, places);
  if (place === null) return null;
  const { log, at } = place;
  const messages = log.messages.slice(0, at);
  const streams = evidence.streams.map((each) => (each === log ? { ...log, messages } : each));
  return { ...evidence, streams };
}

/** Lies about what an event stream has sent. */
export const MUTANTS_OF_STREAMS: readonly Mutant[] = [
  {
    name: 'a stream leaves out an event',
    caughtBy: 'C21',
    mutate: (evidence, dice) =>
      changed(evidence, dice, (messages, at) => messages.filter((_, i) => i !== at)),
  },
  {
    name: 'a stream sends an event twice',
    caughtBy: 'C21',
    mutate: (evidence, dice) =>
      changed(evidence, dice, (messages, at) => messages.toSpliced(at, 0, messages[at] as never)),
  },
  {
    name: 'a stream goes back',
    caughtBy: 'C21',
    mutate: (evidence, dice) =>
      changed(evidence, dice, (messages, at) => {
        const [own, next] = [messages[at] as StreamMessage, messages[at + 1] as StreamMessage];
        return messages.toSpliced(at, 2, next, own);
      }),
  },
  { name: 'an open stream falls silent', caughtBy: 'C21', mutate: silenced },
];
