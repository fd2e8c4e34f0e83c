import type { PackedFact, ScheduleFact } from '@signalbox/engine';
import type { Evidence } from '../evidence.ts';
import { runKey } from '../names.ts';
import { any, facts, type Mutant, type PlacedFact, withFacts } from './mutant.ts';

type FactOf<K extends ScheduleFact['kind']> = ScheduleFact & { kind: K };
type Told<K extends ScheduleFact['kind']> = PlacedFact & { readonly fact: FactOf<K> };

function told<K extends ScheduleFact['kind']>(evidence: Evidence, kind: K): Told<K>[] {
  return facts(evidence).flatMap((placed) => {
    const { packed } = placed;
    if (packed.kind !== 'scheduleFact' || packed.fact.kind !== kind) return [];
    return [{ ...placed, fact: packed.fact as FactOf<K> }];
  });
}

function replaced(evidence: Evidence, from: PackedFact, to: readonly ScheduleFact[]): Evidence {
  return withFacts(evidence, (packed) =>
    packed === from ? to.map((fact) => ({ kind: 'scheduleFact', fact })) : [packed],
  );
}

const isRunOf = (evidence: Evidence, { group, fact }: Told<'windowFired'>) => {
  const name = runKey({ partition: group.partition, seq: fact.run });
  return evidence.runs.find(({ run }) => runKey(run.id) === name) ?? null;
};

/** Lies about windows: each of them a way in which schedulers have failed their users. */
export const MUTANTS_OF_WINDOWS: readonly Mutant[] = [
  {
    name: 'a window has no run and nobody says why',
    caughtBy: 'C7',
    mutate: (evidence, dice) => {
      const lost = any(dice, told(evidence, 'windowFired'));
      if (lost === null) return null;
      const run = isRunOf(evidence, lost);
      const without = { ...evidence, runs: evidence.runs.filter((each) => each !== run) };
      return replaced(without, lost.packed, []);
    },
  },
  {
    name: 'a window fires twice',
    caughtBy: 'C7',
    mutate: (evidence, dice) => {
      const twice = any(dice, told(evidence, 'windowFired'));
      const stored = twice && isRunOf(evidence, twice);
      if (!stored) return null;
      const { fact, packed } = twice;
      const run = fact.run + 1_000_000;
      const twin = { ...stored, run: { ...stored.run, id: { ...stored.run.id, seq: run } } };
      const doubled = replaced(evidence, packed, [fact, { ...fact, run }]);
      return { ...doubled, runs: [...doubled.runs, twin] };
    },
  },
  {
    name: 'a window is marked and has no run',
    caughtBy: 'C7',
    mutate: (evidence, dice) => {
      const bare = any(dice, told(evidence, 'windowFired'));
      const stored = bare && isRunOf(evidence, bare);
      return stored && { ...evidence, runs: evidence.runs.filter((each) => each !== stored) };
    },
  },
  {
    name: 'a run of a window has no mark',
    caughtBy: 'C7',
    mutate: (evidence, dice) => {
      const fired = any(dice, told(evidence, 'windowFired'));
      if (fired === null) return null;
      const { partition, tenant, schedule, at, window } = fired.fact;
      const of = { partition, tenant, schedule, at, from: window, to: window, count: 1 };
      return replaced(evidence, fired.packed, [
        { kind: 'windowsSkipped', ...of, reason: 'overlap' },
      ]);
    },
  },
  {
    name: 'a run lies outside of its window',
    caughtBy: 'C7',
    mutate: (evidence, dice) => {
      const moved = any(dice, told(evidence, 'windowFired'));
      if (moved === null) return null;
      const { fact } = moved;
      return replaced(evidence, moved.packed, [{ ...fact, window: fact.window + 1 }]);
    },
  },
  {
    name: 'a window starts before its time',
    caughtBy: 'C7',
    mutate: (evidence, dice) => {
      const fired = told(evidence, 'windowFired').filter(({ fact }) => fact.at >= fact.planned);
      const early = any(dice, fired);
      if (early === null) return null;
      const { fact } = early;
      return replaced(evidence, early.packed, [{ ...fact, at: fact.planned - 1 }]);
    },
  },
  {
    name: 'a late window passes for one in time',
    caughtBy: 'C7',
    mutate: (evidence, dice) => {
      const fired = told(evidence, 'windowFired').filter(({ fact }) => !fact.catchUp);
      const late = any(dice, fired);
      if (late === null) return null;
      const held = told(evidence, 'windowHeld').some(
        ({ fact }) => fact.window === late.fact.window,
      );
      if (held) return replaced(evidence, late.packed, []);
      return replaced(evidence, late.packed, [{ ...late.fact, at: late.fact.at + 3_600_000 }]);
    },
  },
  {
    name: 'fewer windows are told to be skipped than were',
    caughtBy: 'C7',
    mutate: (evidence, dice) => {
      const skipped = any(dice, told(evidence, 'windowsSkipped'));
      if (skipped === null) return null;
      const { fact } = skipped;
      return fact.from < fact.to
        ? replaced(evidence, skipped.packed, [{ ...fact, count: 1 }])
        : replaced(evidence, skipped.packed, []);
    },
  },
  {
    name: 'an edit reaches back behind its saving',
    caughtBy: 'C7',
    mutate: (evidence, dice) => {
      const set = any(dice, told(evidence, 'scheduleSet'));
      if (set === null) return null;
      const { fact } = set;
      return replaced(evidence, set.packed, [{ ...fact, decidedUpTo: fact.decidedUpTo - 200_000 }]);
    },
  },
  {
    name: 'an edit was saved and never carried out',
    caughtBy: 'C7',
    mutate: (evidence, dice) => {
      const saves = evidence.events.filter((event) => event.kind === 'schedule.saved');
      const save = any(dice, saves);
      if (save === null) return null;
      const later = { ...save, version: 1_000, deleted: false };
      return { ...evidence, events: [...evidence.events, later] };
    },
  },
];
