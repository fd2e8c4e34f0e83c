import { anEvent, any, type Mutant, taskFacts, withFacts } from './mutant.ts';

/** Lies about what became of events. */
export const MUTANTS_OF_EVENTS: readonly Mutant[] = [
  {
    name: 'an acknowledged event was never heard',
    caughtBy: 'C14',
    mutate: (evidence, dice) => {
      const told = anEvent({ evidence, dice }, 'event.ok');
      if (told === null) return null;
      const journal = evidence.journal.map((group) => ({
        ...group,
        taken: group.taken.filter((id) => id !== told.entry),
      }));
      return { ...evidence, journal };
    },
  },
  {
    name: 'an event ended two waits of a run',
    caughtBy: 'C14',
    mutate: (evidence, dice) => {
      const found = any(dice, taskFacts(evidence, 'eventTaken'));
      if (found === null) return null;
      return withFacts(evidence, (packed) =>
        packed === found.packed ? [packed, packed] : [packed],
      );
    },
  },
  {
    name: 'a wait was ended by an event that it did not want',
    caughtBy: 'C14',
    mutate: (evidence, dice) => {
      const odd = taskFacts(evidence, 'eventTaken').filter(({ fact }) => {
        return fact.task === 2 && Number(fact.key.slice(1)) % 2 === 1;
      });
      const found = any(dice, odd);
      if (found === null) return null;
      const lie = { kind: 'fact', fact: { ...found.fact, task: 1 } } as const;
      return withFacts(evidence, (packed) => [packed === found.packed ? lie : packed]);
    },
  },
  {
    name: 'a wait gave what it had not heard',
    caughtBy: 'C14',
    mutate: (evidence, dice) => {
      const found = any(dice, taskFacts(evidence, 'eventTaken'));
      return found && withFacts(evidence, (packed) => (packed === found.packed ? [] : [packed]));
    },
  },
  {
    name: 'an event was not kept for the wait that came after it',
    caughtBy: 'C14',
    mutate: (evidence, dice) => {
      const kept = taskFacts(evidence, 'eventKept');
      // The first that a run kept, for another may stand for a later one; and nothing else of the run
      // in that commit, which might excuse it.
      const first = kept.filter(({ fact, group }, i) => {
        const sameRun = (other: typeof fact) =>
          other.partition === fact.partition && other.seq === fact.seq;
        const isFirst = kept.findIndex((each) => sameRun(each.fact)) === i;
        const others = group.facts.filter((packed) =>
          JSON.stringify(packed).includes(`"seq":${fact.seq},`),
        );
        return isFirst && fact.suits.includes(1) && others.length === 1;
      });
      const found = any(dice, first);
      return found && withFacts(evidence, (packed) => (packed === found.packed ? [] : [packed]));
    },
  },
];
