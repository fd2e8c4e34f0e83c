import type { StoredRun } from '@signalbox/store';
import type { Evidence } from '../evidence.ts';
import { opOf, runKey } from '../names.ts';
import type { Dice } from '../world/streams.ts';
import { anEvent, any, type Mutant, withEvents } from './mutant.ts';

/** A run of a client, other than the one that the operation became. */
function another(evidence: Evidence, dice: Dice, op: number): StoredRun | null {
  const own = evidence.runs.find((stored) => opOf(stored) === op);
  const others = evidence.runs.filter(({ run }) => {
    return !run.head.includes('"nested":') && (run.job !== own?.run.job || run !== own.run);
  });
  return any(dice, others);
}

/** Lies about what a submission was told. */
export const MUTANTS_OF_ANSWERS: readonly Mutant[] = [
  {
    name: 'a submission is told of another run',
    caughtBy: 'C16',
    mutate: (evidence, dice) => {
      const ok = anEvent({ evidence, dice }, 'submit.ok', ({ duplicate }) => !duplicate);
      const other = ok && another(evidence, dice, ok.op);
      if (ok === null || other === null) return null;
      const { id, job } = other.run;
      const lie = { ...ok, id, job, duplicate: true };
      return withEvents(evidence, (event) => [event === ok ? lie : event]);
    },
  },
  {
    name: 'an alias leads to another run',
    caughtBy: 'C16',
    mutate: (evidence, dice) => {
      const inbox = anEvent({ evidence, dice }, 'submit.inbox');
      const other = inbox && another(evidence, dice, inbox.op);
      if (inbox === null || other === null) return null;
      const aliases = new Map(evidence.aliases).set(inbox.alias, other.run.id);
      return { ...evidence, aliases };
    },
  },
  {
    name: 'an acknowledged alias is denied',
    caughtBy: 'C16',
    mutate: (evidence, dice) => {
      const inbox = anEvent({ evidence, dice }, 'submit.inbox');
      if (inbox === null) return null;
      const { t, op, alias } = inbox;
      const events = [
        ...evidence.events,
        { t, kind: 'alias.read', op, alias, found: null } as const,
      ];
      return { ...evidence, events };
    },
  },
  {
    name: 'an input is cut on its way into its run',
    caughtBy: 'C16',
    mutate: (evidence, dice) => {
      const ok = anEvent({ evidence, dice }, 'submit.ok', ({ duplicate }) => !duplicate);
      if (ok === null) return null;
      const runs = evidence.runs.map((stored) => {
        if (runKey(stored.run.id) !== runKey(ok.id)) return stored;
        const inputBytes = stored.run.inputBytes + 1;
        return { ...stored, run: { ...stored.run, inputBytes } };
      });
      return { ...evidence, runs };
    },
  },
  {
    name: 'two live runs share a unique value',
    caughtBy: 'C16',
    mutate: (evidence, dice) => {
      const [first] = evidence.runs.filter(({ end }) => end === null);
      const holder = first ?? any(dice, evidence.runs);
      if (holder === null) return null;
      const { partition, tenant, job } = { ...holder.run, ...holder.run.id };
      const shares = evidence.runs.filter(({ run }) => {
        return run.tenant === tenant && run.job === job && run.id.partition === partition;
      });
      const runs = evidence.runs.map((stored) => {
        if (!shares.includes(stored)) return stored;
        return { ...stored, run: { ...stored.run, head: '{"unique":"x"}' } };
      });
      const journal = evidence.journal.map((group) => ({
        ...group,
        facts: group.facts.filter(({ kind }) => kind !== 'endedAt'),
      }));
      return { ...evidence, runs, journal };
    },
  },
];
