import type { StoredRun } from '@signalbox/store';
import type { Evidence } from '../evidence.ts';
import { runKey } from '../names.ts';
import { anEvent, any, facts, type Mutant, taskFacts, withEvents, withFacts } from './mutant.ts';

const encoder = new TextEncoder();

/** What C1 knows of: nested runs are C15's. */
function ofClients({ runs }: Evidence): StoredRun[] {
  return runs.filter(({ run }) => !run.head.includes('"nested":'));
}

/** Lies about submissions, ends and attempts. */
export const MUTANTS_OF_RUNS: readonly Mutant[] = [
  {
    name: 'an acknowledged run is missing',
    caughtBy: 'C1',
    mutate: (evidence, dice) => {
      const ok = anEvent({ evidence, dice }, 'submit.ok');
      if (ok === null) return null;
      const runs = evidence.runs.filter(({ run }) => runKey(run.id) !== runKey(ok.id));
      return { ...evidence, runs };
    },
  },
  {
    name: 'one operation has two runs',
    caughtBy: 'C1',
    mutate: (evidence, dice) => {
      const stored = any(dice, ofClients(evidence));
      if (stored === null) return null;
      const id = { ...stored.run.id, seq: stored.run.id.seq + 1_000_000 };
      const twin = { ...stored, run: { ...stored.run, id } };
      return { ...evidence, runs: [...evidence.runs, twin] };
    },
  },
  {
    name: 'a run that nobody asked for',
    caughtBy: 'C1',
    mutate: (evidence, dice) => {
      const stored = any(dice, ofClients(evidence));
      if (stored === null) return null;
      const input = encoder.encode('op 999999');
      const runs = evidence.runs.map((each) =>
        each === stored ? { ...each, run: { ...each.run, input } } : each,
      );
      return { ...evidence, runs };
    },
  },
  {
    name: 'a run of another tenant',
    caughtBy: 'C1',
    mutate: (evidence, dice) => {
      const stored = any(dice, ofClients(evidence));
      if (stored === null) return null;
      const runs = evidence.runs.map((each) =>
        each === stored ? { ...each, run: { ...each.run, tenant: 'nobody' } } : each,
      );
      return { ...evidence, runs };
    },
  },
  {
    name: 'a refused operation became a run',
    caughtBy: 'C1',
    mutate: (evidence, dice) => {
      const ok = anEvent({ evidence, dice }, 'submit.ok', (event) => !event.duplicate);
      if (ok === null) return null;
      return withEvents(evidence, (event) =>
        event === ok ? [{ t: ok.t, kind: 'submit.fail', op: ok.op }] : [event],
      );
    },
  },
  {
    name: 'a cancellation is forgotten',
    caughtBy: 'C1',
    mutate: (evidence, dice) => {
      const ok = anEvent({ evidence, dice }, 'cancel.ok');
      if (ok === null) return null;
      return withFacts(evidence, (packed, { partition }) => {
        const isIt =
          packed.kind === 'fact' &&
          packed.fact.kind === 'runCancelRequested' &&
          partition === ok.id.partition &&
          packed.fact.seq === ok.id.seq;
        return isIt ? [] : [packed];
      });
    },
  },
  {
    name: 'a run is left running',
    caughtBy: 'C2',
    mutate: (evidence, dice) => {
      const stored = any(
        dice,
        evidence.runs.filter(({ end }) => end !== null),
      );
      if (stored === null) return null;
      const { partition, seq } = stored.run.id;
      const runs = evidence.runs.map((each) => (each === stored ? { ...each, end: null } : each));
      return withFacts({ ...evidence, runs }, (packed, group) => {
        return packed.kind === 'endedAt' && packed.seq === seq && group.partition === partition
          ? []
          : [packed];
      });
    },
  },
  {
    name: 'a run ends twice',
    caughtBy: 'C2',
    mutate: (evidence, dice) => {
      const end = any(
        dice,
        facts(evidence).filter(({ packed }) => packed.kind === 'endedAt'),
      );
      return end && withFacts(evidence, (each) => (each === end.packed ? [each, each] : [each]));
    },
  },
  {
    name: 'a task goes on after its end',
    caughtBy: 'C2',
    mutate: (evidence, dice) => {
      const done = any(dice, taskFacts(evidence, 'taskSucceeded'));
      return done && withFacts(evidence, (each) => (each === done.packed ? [each, each] : [each]));
    },
  },
  {
    name: 'the row tells another end than the journal',
    caughtBy: 'C2',
    mutate: (evidence, dice) => {
      const stored = any(
        dice,
        evidence.runs.filter(({ end }) => end?.state === 'SUCCEEDED'),
      );
      if (stored === null) return null;
      const runs = evidence.runs.map((each) =>
        each === stored && each.end ? { ...each, end: { ...each.end, state: 'FAILED' } } : each,
      );
      return { ...evidence, runs };
    },
  },
  {
    name: 'attempt numbers have a gap',
    caughtBy: 'C3',
    mutate: (evidence, dice) => {
      const assigned = any(dice, taskFacts(evidence, 'taskAssigned'));
      if (assigned === null) return null;
      const fact = { ...assigned.fact, attempt: assigned.fact.attempt + 1 };
      return withFacts(evidence, (each) =>
        each === assigned.packed ? [{ kind: 'fact', fact }] : [each],
      );
    },
  },
  {
    name: 'two attempts live at once',
    caughtBy: 'C3',
    mutate: (evidence, dice) => {
      const ends = [...taskFacts(evidence, 'taskRetryAt'), ...taskFacts(evidence, 'taskRequeued')];
      const assigned = taskFacts(evidence, 'taskAssigned');
      const followed = ends.filter(({ fact, group }) =>
        assigned.some(
          (each) =>
            each.group.partition === group.partition &&
            each.fact.seq === fact.seq &&
            each.fact.task === fact.task &&
            each.fact.attempt === fact.attempt + 1,
        ),
      );
      const end = any(dice, followed);
      return end && withFacts(evidence, (each) => (each === end.packed ? [] : [each]));
    },
  },
  {
    name: 'a token is given out twice',
    caughtBy: 'C3',
    mutate: (evidence, dice) => {
      const first = any(dice, taskFacts(evidence, 'taskAssigned'));
      if (first === null) return null;
      const same = taskFacts(evidence, 'taskAssigned').filter(
        ({ group, packed }) =>
          group.partition === first.group.partition &&
          group.epoch === first.group.epoch &&
          packed !== first.packed,
      );
      const other = any(dice, same);
      if (other === null) return null;
      const fact = { ...other.fact, token: first.fact.token };
      return withFacts(evidence, (each) =>
        each === other.packed ? [{ kind: 'fact', fact }] : [each],
      );
    },
  },
];
