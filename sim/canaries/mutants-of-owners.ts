import type { Evidence } from '../evidence.ts';
import type { Seen } from '../history.ts';
import { runKey } from '../names.ts';
import type { Dice } from '../world/streams.ts';
import { anEvent, any, type Mutant, withEvents } from './mutant.ts';

/** Lies about ownership, limits, rest, readers and books. */
export const MUTANTS_OF_OWNERS: readonly Mutant[] = [
  {
    name: 'a node stopped itself',
    caughtBy: 'C0',
    mutate: (evidence) => {
      const fatal = { t: 0, kind: 'fatal' as const, node: 'n0.1', error: 'a canary' };
      return { ...evidence, events: [...evidence.events, fatal] };
    },
  },
  {
    name: 'a commit under the epoch before',
    caughtBy: 'C4',
    mutate: (evidence, dice) => {
      const commit = anEvent({ evidence, dice }, 'commit');
      if (commit === null) return null;
      const parts = commit.parts.map((part) => ({ ...part, epoch: part.epoch - 1 }));
      return withEvents(evidence, (each) => (each === commit ? [{ ...commit, parts }] : [each]));
    },
  },
  {
    name: 'a commit by who is not the owner',
    caughtBy: 'C4',
    mutate: (evidence, dice) => {
      const commit = anEvent({ evidence, dice }, 'commit');
      if (commit === null) return null;
      const commitId = 'n99.1/1';
      return withEvents(evidence, (each) => (each === commit ? [{ ...commit, commitId }] : [each]));
    },
  },
  {
    name: 'two grants change places',
    caughtBy: 'C4',
    mutate: (evidence, dice) => {
      const second = anEvent({ evidence, dice }, 'grant', ({ epoch }) => epoch > 1);
      if (second === null) return null;
      const first = evidence.events.findLast(
        (each) =>
          each.kind === 'grant' &&
          each.partition === second.partition &&
          each.epoch === second.epoch - 1,
      );
      if (first?.kind !== 'grant') return null;
      return withEvents(evidence, (each) => {
        if (each === first) return [{ ...first, epoch: second.epoch }];
        return each === second ? [{ ...second, epoch: first.epoch }] : [each];
      });
    },
  },
  {
    name: 'two owners share an epoch',
    caughtBy: 'C4',
    mutate: (evidence, dice) => {
      const grant = anEvent({ evidence, dice }, 'grant');
      if (grant === null) return null;
      const twin = { ...grant, owner: 'n99.1' };
      return withEvents(evidence, (each) => (each === grant ? [each, twin] : [each]));
    },
  },
  {
    name: 'a group has vanished from the journal',
    caughtBy: 'C4',
    mutate: (evidence, dice) => {
      const group = any(dice, evidence.journal);
      return { ...evidence, journal: evidence.journal.filter((each) => each !== group) };
    },
  },
  {
    name: 'a group of the journal is of another commit',
    caughtBy: 'C4',
    mutate: (evidence, dice) => {
      const group = any(
        dice,
        evidence.journal.filter(({ facts }) => facts.length > 0),
      );
      const journal = evidence.journal.map((each) =>
        each === group ? { ...each, commitId: 'n99.1/1' } : each,
      );
      return { ...evidence, journal };
    },
  },
  {
    name: 'a second node trusts a lease that is held',
    caughtBy: 'C5',
    mutate: (evidence, dice) => {
      const renewed = anEvent({ evidence, dice }, 'lease.renewed');
      const partition = renewed?.partitions[0];
      if (renewed === null || partition === undefined) return null;
      const { t, trustedUntil } = renewed;
      const of = { node: 'n99.1', partition, epoch: 999, trustedUntil };
      const acquired = { t: t + 1, kind: 'lease.acquired' as const, ...of };
      return withEvents(evidence, (each) => (each === renewed ? [each, acquired] : [each]));
    },
  },
  {
    name: 'a lease is trusted past its successor',
    caughtBy: 'C5',
    mutate: (evidence, dice) => {
      const later = anEvent({ evidence, dice }, 'lease.acquired', (each) => each.epoch > 2);
      if (later === null) return null;
      const earlier = evidence.events.findLast(
        (each) =>
          each.kind === 'lease.acquired' &&
          each.partition === later.partition &&
          each.t < later.t &&
          each.node !== later.node,
      );
      if (earlier?.kind !== 'lease.acquired') return null;
      // It trusts on and nobody ever told it otherwise.
      return withEvents(evidence, (each) => {
        if (each === earlier) return [{ ...earlier, trustedUntil: later.t + 5_000 }];
        const ends =
          (each.kind === 'lease.lost' &&
            each.node === earlier.node &&
            each.partition === earlier.partition) ||
          (each.kind === 'node.down' && each.node === earlier.node);
        return ends && each.t < later.t ? [] : [each];
      });
    },
  },
  {
    name: 'a tenant’s limit was lower',
    caughtBy: 'C10',
    mutate: (evidence) => ({
      ...evidence,
      limits: new Map([...evidence.limits].map(([tenant]) => [tenant, 0])),
    }),
  },
  {
    name: 'a worker has fewer slots',
    caughtBy: 'C10',
    mutate: (evidence) => ({
      ...evidence,
      totals: new Map([...evidence.totals].map(([name, each]) => [name, { ...each, slots: 0 }])),
    }),
  },
  {
    name: 'something has not come to rest',
    caughtBy: 'C11',
    mutate: (evidence) => ({ ...evidence, restless: ['w0 still holds something'] }),
  },
  {
    name: 'a run was shown with another end',
    caughtBy: 'C12',
    mutate: (evidence, dice) =>
      mutateRead({ evidence, dice }, 'SUCCEEDED', (view) => ({ ...view, state: 'FAILED' })),
  },
  {
    name: 'a run that was over is shown running',
    caughtBy: 'C12',
    mutate: (evidence, dice) => {
      const read = anEvent(
        { evidence, dice },
        'read.ok',
        (each) => each.view?.endedAtMs != null && !each.stale,
      );
      if (read?.view == null) return null;
      const view = { ...read.view, state: 'RUNNING' as const, endedAtMs: null };
      const again = { ...read, t: read.t + 2_001, invokedAt: read.t + 2_000, view };
      return { ...evidence, events: [...evidence.events, again] };
    },
  },
  {
    name: 'a reader was shown an attempt that never was',
    caughtBy: 'C12',
    mutate: (evidence, dice) =>
      mutateRead({ evidence, dice }, null, (view) => ({
        ...view,
        tasks: view.tasks.map((task) => ({ ...task, ended: 99 })),
      })),
  },
  {
    name: 'a reader was denied a run',
    caughtBy: 'C12',
    mutate: (evidence, dice) => {
      const read = anEvent({ evidence, dice }, 'read.ok', (each) => each.view !== null);
      if (read === null) return null;
      return withEvents(evidence, (each) => (each === read ? [{ ...read, view: null }] : [each]));
    },
  },
  {
    name: 'a book counts one run too many',
    caughtBy: 'ledger',
    mutate: (evidence, dice) => {
      const book = any(dice, evidence.books);
      const books = evidence.books.map((each) =>
        each === book ? { ...each, live: each.live + 1 } : each,
      );
      return { ...evidence, books };
    },
  },
  {
    name: 'a partition has no owner in the end',
    caughtBy: 'ledger',
    mutate: (evidence, dice) => {
      const book = any(dice, evidence.books);
      return { ...evidence, books: evidence.books.filter((each) => each !== book) };
    },
  },
  {
    name: 'a row without its submission',
    caughtBy: 'ledger',
    mutate: (evidence, dice) => {
      const stored = any(dice, evidence.runs);
      if (stored === null) return null;
      const key = runKey(stored.run.id);
      const journal = evidence.journal.map((group) => ({
        ...group,
        facts: group.facts.filter(
          (each) =>
            each.kind !== 'submittedAt' ||
            runKey({ ...each.run, partition: group.partition }) !== key,
        ),
      }));
      return { ...evidence, journal };
    },
  },
];

function mutateRead(
  from: { evidence: Evidence; dice: Dice },
  state: string | null,
  change: (view: Seen) => Seen,
): Evidence | null {
  const read = anEvent(from, 'read.ok', (each) => {
    // A list tells no tasks.
    if (each.view === null || each.stale || each.view.tasks.length === 0) return false;
    return state === null || each.view.state === state;
  });
  if (read?.view == null) return null;
  const view = change(read.view);
  return withEvents(from.evidence, (each) => (each === read ? [{ ...read, view }] : [each]));
}
