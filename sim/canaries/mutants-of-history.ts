import type { Evidence } from '../evidence.ts';
import type { HistoryEvent } from '../history.ts';
import { givenBytes } from '../names.ts';
import { any, type Mutant } from './mutant.ts';

type Unplaced<E> = E extends HistoryEvent ? Omit<E, 't'> : never;

/** Something more has happened, at the end. */
function lie(name: string, event: (evidence: Evidence) => Unplaced<HistoryEvent> | null): Mutant {
  return {
    name,
    caughtBy: 'C20',
    mutate: (evidence) => {
      const more = event(evidence);
      const t = evidence.events.at(-1)?.t ?? 0;
      if (more === null) return null;
      return { ...evidence, events: [...evidence.events, { t, ...more } as HistoryEvent] };
    },
  };
}

const OLD = { kind: 'segment.dropped', fromMs: 0, toMs: 1, trueMs: 1e13, runs: 1 } as const;

/** Lies about what retention has dropped. */
export const MUTANTS_OF_HISTORY: readonly Mutant[] = [
  lie('a segment goes with a run that has not ended', () => ({ ...OLD, open: ['0.1'] })),
  lie('a segment of the present goes', () => ({ ...OLD, toMs: 1e13 - 60_000, open: [] })),
  lie('facts go that a take-over needs', () => {
    return { kind: 'groups.dropped', count: 1, gaps: ['partition 0 lacks what follows group 7'] };
  }),
  lie('the key of a live run is forgotten', () => {
    return { kind: 'keys.forgotten', count: 1, live: ['k1 of run 0.1'], youngestMs: 1e12 };
  }),
  lie('a key is forgotten at once', () => {
    return { kind: 'keys.forgotten', count: 1, live: [], youngestMs: 1 };
  }),
  lie('a blob is collected that a run refers to', () => {
    const needed = ['the input of run 0.1 refers to t0/b'];
    return { kind: 'blobs.collected', count: 1, needed };
  }),
  {
    name: 'the input of a kept run is denied',
    caughtBy: 'C20',
    mutate: (evidence, dice) => {
      const given = evidence.runs.filter(({ run }) => givenBytes(run) > 0);
      const stored = any(dice, given);
      if (stored === null) return null;
      const { id } = stored.run;
      const read = { t: 1, kind: 'input.read', op: 1, id, invokedAt: 0, bytes: null } as const;
      return { ...evidence, events: [...evidence.events, read] };
    },
  },
];
