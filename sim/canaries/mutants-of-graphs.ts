import { any, facts, type Mutant, type PlacedFact, taskFacts, withFacts } from './mutant.ts';

const without = (evidence: Parameters<typeof withFacts>[0], gone: PlacedFact['packed']) =>
  withFacts(evidence, (packed) => (packed === gone ? [] : [packed]));

/** Resumes behind which a task begins: where nothing was left to begin, leaving one out is no lie. */
function resumesThatBegin(evidence: Parameters<typeof withFacts>[0]): PlacedFact['packed'][] {
  const open = new Map<string, PlacedFact['packed']>();
  const found: PlacedFact['packed'][] = [];
  for (const { packed } of facts(evidence)) {
    if (packed.kind !== 'fact') continue;
    const { fact } = packed;
    if (fact.kind !== 'runResumed' && fact.kind !== 'runPaused' && fact.kind !== 'taskAssigned') {
      continue;
    }
    const run = `${fact.partition}.${fact.seq}`;
    const resumed = open.get(run);
    if (fact.kind === 'taskAssigned' && resumed !== undefined) found.push(resumed);
    if (fact.kind === 'runResumed') open.set(run, packed);
    else open.delete(run);
  }
  return found;
}

/** Lies about how graphs went. */
export const MUTANTS_OF_GRAPHS: readonly Mutant[] = [
  {
    name: 'a task begins while its run is paused',
    caughtBy: 'C8',
    mutate: (evidence, dice) => {
      const resumed = any(dice, resumesThatBegin(evidence));
      return resumed && without(evidence, resumed);
    },
  },
  {
    name: 'a fan-out happens twice',
    caughtBy: 'C8',
    mutate: (evidence, dice) => {
      const found = any(dice, taskFacts(evidence, 'taskFannedOut'));
      if (found === null) return null;
      return withFacts(evidence, (packed) =>
        packed === found.packed ? [packed, packed] : [packed],
      );
    },
  },
  {
    name: 'children that nobody asked for',
    caughtBy: 'C8',
    mutate: (evidence, dice) => {
      const begun = new Set(
        taskFacts(evidence, 'taskAssigned')
          .filter(({ fact }) => fact.task > 2)
          .map(({ fact }) => `${fact.partition}.${fact.seq}`),
      );
      const fanned = taskFacts(evidence, 'taskFannedOut').filter(({ fact }) =>
        begun.has(`${fact.partition}.${fact.seq}`),
      );
      const found = any(dice, fanned);
      return found && without(evidence, found.packed);
    },
  },
  {
    name: 'a sleep is cut short',
    caughtBy: 'C8',
    mutate: (evidence, dice) => {
      const found = any(
        dice,
        // Of `waits`: no other wait that lasts until an instant is the second task of its run.
        taskFacts(evidence, 'taskWaiting').filter(({ fact }) => fact.task === 1 && fact.until > 0),
      );
      if (found === null) return null;
      const { fact } = found;
      const longer = {
        kind: 'fact',
        fact: { ...fact, until: fact.until + 9_000_000_000 },
      } as const;
      return withFacts(evidence, (packed) => [packed === found.packed ? longer : packed]);
    },
  },
  {
    name: 'nobody is told of an end',
    caughtBy: 'C8',
    mutate: (evidence, dice) => {
      const found = any(dice, taskFacts(evidence, 'notificationDone'));
      return found && without(evidence, found.packed);
    },
  },
  {
    name: 'a skipped task had run',
    caughtBy: 'C8',
    mutate: (evidence, dice) => {
      const begun = new Set(
        taskFacts(evidence, 'taskAssigned').map(
          ({ fact }) => `${fact.partition}.${fact.seq}/${fact.task}`,
        ),
      );
      // Of `branches`: the task behind it does not mind that it was skipped.
      const skipped = taskFacts(evidence, 'taskSkipped').filter(
        ({ fact }) => fact.task === 2 && begun.has(`${fact.partition}.${fact.seq}/4`),
      );
      const found = any(dice, skipped);
      return found && without(evidence, found.packed);
    },
  },
  {
    name: 'a run with failures ends as SUCCEEDED',
    caughtBy: 'C8',
    mutate: (evidence, dice) => {
      const stored = any(
        dice,
        evidence.runs.filter(({ end }) => end?.state === 'PARTIAL'),
      );
      if (stored === null) return null;
      const runs = evidence.runs.map((each) =>
        each === stored && each.end !== null
          ? { ...each, end: { ...each.end, state: 'SUCCEEDED' } }
          : each,
      );
      return { ...evidence, runs };
    },
  },
];
