import { taskKey } from '../names.ts';
import { anEvent, any, type Mutant, movedTo, taskFacts, withEvents, withFacts } from './mutant.ts';

/** Lies about what workers started and were told, and about order. */
export const MUTANTS_OF_WORKERS: readonly Mutant[] = [
  {
    name: 'an attempt starts before it is durable',
    caughtBy: 'C3',
    mutate: (evidence, dice) => {
      const start = anEvent({ evidence, dice }, 'start');
      return start && movedTo(evidence, start, start.t - 60_000);
    },
  },
  {
    name: 'an attempt starts twice',
    caughtBy: 'C3',
    mutate: (evidence, dice) => {
      const start = anEvent({ evidence, dice }, 'start');
      return start && withEvents(evidence, (each) => (each === start ? [each, each] : [each]));
    },
  },
  {
    name: 'an attempt runs that nobody assigned',
    caughtBy: 'C3',
    mutate: (evidence, dice) => {
      const start = anEvent({ evidence, dice }, 'start');
      if (start === null) return null;
      const ref = { ...start.ref, token: start.ref.token + 1_000_000 };
      return withEvents(evidence, (each) => (each === start ? [{ ...start, ref }] : [each]));
    },
  },
  {
    name: 'an attempt runs on another worker',
    caughtBy: 'C3',
    mutate: (evidence, dice) => {
      const start = anEvent({ evidence, dice }, 'start');
      if (start === null) return null;
      return withEvents(evidence, (each) =>
        each === start ? [{ ...start, worker: 'w99' }] : [each],
      );
    },
  },
  {
    name: 'a start comes after its acknowledgement',
    caughtBy: 'C6',
    mutate: (evidence, dice) => {
      const acked = anEvent({ evidence, dice }, 'complete.acked', (e) => e.result === 'succeeded');
      if (acked === null) return null;
      const start = anEvent({ evidence, dice }, 'start', (each) => {
        return taskKey(each.ref) === taskKey(acked.ref) && each.ref.number === acked.ref.number;
      });
      return start && movedTo(evidence, start, acked.t + 1);
    },
  },
  {
    name: 'a further attempt starts after the acknowledgement',
    caughtBy: 'C6',
    mutate: (evidence, dice) => {
      const acked = anEvent({ evidence, dice }, 'complete.acked', (e) => e.result === 'succeeded');
      if (acked === null) return null;
      const { worker, instance } = acked;
      const ref = { ...acked.ref, number: acked.ref.number + 1, token: acked.ref.token + 1 };
      const start = { t: acked.t + 5, kind: 'start' as const, ref, worker, instance };
      return { ...evidence, events: [...evidence.events, start] };
    },
  },
  {
    name: 'the acknowledged output is not the stored one',
    caughtBy: 'C6',
    mutate: (evidence, dice) => {
      const acked = anEvent({ evidence, dice }, 'complete.acked', (e) => e.result === 'succeeded');
      if (acked === null) return null;
      return withEvents(evidence, (each) =>
        each === acked ? [{ ...acked, output: 'x' }] : [each],
      );
    },
  },
  {
    name: 'the stored output of a run is gone',
    caughtBy: 'C6',
    mutate: (evidence, dice) => {
      const inFacts = new Set(
        taskFacts(evidence, 'taskSucceeded').map(({ fact }) => taskKey(fact)),
      );
      const acked = anEvent({ evidence, dice }, 'complete.acked', (event) => {
        return event.result === 'succeeded' && !inFacts.has(taskKey(event.ref));
      });
      if (acked === null) return null;
      const { partition, seq } = acked.ref;
      const runs = evidence.runs.map((each) =>
        each.run.id.partition === partition && each.run.id.seq === seq && each.end
          ? { ...each, end: { ...each.end, output: null } }
          : each,
      );
      return { ...evidence, runs };
    },
  },
  {
    name: 'the completion of a revoked attempt was accepted',
    caughtBy: 'C10',
    mutate: (evidence, dice) => {
      const lost = any(
        dice,
        taskFacts(evidence, 'taskRetryAt').filter(({ fact }) => fact.reason === 'worker_lost'),
      );
      if (lost === null) return null;
      const { partition, epoch } = lost.group;
      const { seq, task, attempt } = lost.fact;
      const ref = { partition, seq, task, number: attempt, epoch, token: 1 };
      const of = { ref, worker: 'w0', instance: 'w0.1' };
      const acked = { t: lost.group.t, kind: 'complete.acked' as const, ...of };
      const events = [...evidence.events, { ...acked, result: 'failed', output: null }];
      return { ...evidence, events };
    },
  },
  {
    name: 'a child is assigned before its parent succeeded',
    caughtBy: 'C8',
    mutate: (evidence, dice) => {
      const jobs = new Map(
        evidence.runs.map(({ run }) => [`${run.id.partition}.${run.id.seq}`, run.job]),
      );
      const parents = taskFacts(evidence, 'taskSucceeded').filter(({ group, fact }) => {
        return fact.task === 0 && jobs.get(`${group.partition}.${fact.seq}`) === 'chain';
      });
      const parent = any(dice, parents);
      return parent && withFacts(evidence, (each) => (each === parent.packed ? [] : [each]));
    },
  },
  {
    name: 'an urgent task is dispatched after a lesser one',
    caughtBy: 'C9',
    mutate: (evidence, dice) => {
      const rows = new Map(
        evidence.runs.map(({ run }) => [`${run.id.partition}.${run.id.seq}`, run]),
      );
      const assigned = taskFacts(evidence, 'taskAssigned').map((each) => ({
        ...each,
        row: rows.get(`${each.group.partition}.${each.fact.seq}`),
      }));
      const urgent = assigned.filter(({ row, fact }) => {
        const isFree = evidence.limits.get(row?.tenant ?? '') === Number.POSITIVE_INFINITY;
        const isPlain = row?.job === 'urgent' && row.class === 0 && !row.head.includes('dueAt');
        return isFree && isPlain && fact.attempt === 1;
      });
      const pairs = urgent.flatMap((first) => {
        const later = assigned.find(
          ({ row, group, fact }) =>
            row?.class === 2 &&
            group.partition === first.group.partition &&
            group.epoch === first.group.epoch &&
            fact.at > first.fact.at + 1_500,
        );
        return later === undefined ? [] : [{ first, later }];
      });
      const pair = any(dice, pairs);
      if (pair === null) return null;
      const { partition } = pair.first.group;
      const { seq } = pair.first.fact;
      return withFacts(evidence, (each, group) => {
        if (each === pair.later.packed) return [each, pair.first.packed];
        if (group.partition !== partition) return [each];
        // What followed its dispatch can not have happened yet.
        const isIts =
          each.kind === 'endedAt'
            ? each.seq === seq
            : each.kind === 'fact' && each.fact.seq === seq;
        return isIts ? [] : [each];
      });
    },
  },
];
