import { parseDetail } from '@signalbox/engine';
import type { Evidence, JournalGroup } from '../evidence.ts';
import { attemptKey, taskKey } from '../names.ts';
import type { Checker } from './checker.ts';

interface Live {
  readonly owner: string;
  readonly worker: string;
  readonly epoch: number;
  readonly slots: number;
}

/** Ways in which an attempt is taken from its worker: whatever that worker then says is refused. */
const REVOKED: ReadonlySet<string> = new Set([
  'worker_lost',
  'never_arrived',
  'not_accepted',
  'evicted',
  'refused',
]);

/** C10: limits hold by committed facts at any instant, and a revoked attempt cannot complete. */
export const limits: Checker = {
  name: 'C10',
  promise:
    'no tenant above its limit, no worker above its capacity, no completion of a revoked attempt',
  check: (evidence) => [...overbooked(evidence), ...revivedAttempts(evidence)],
};

function overbooked(evidence: Evidence): string[] {
  const problems: string[] = [];
  const moved = runsThatMoved(evidence);
  const rows = new Map(evidence.runs.map(({ run }) => [`${run.id.partition}.${run.id.seq}`, run]));
  let live = new Map<string, Live>();
  let partition = -1;
  for (const group of evidence.journal) {
    if (group.partition !== partition) live = new Map();
    partition = group.partition;
    readGroup({ group, live, rows, moved, evidence, problems });
  }
  return problems;
}

function readGroup(params: {
  group: JournalGroup;
  live: Map<string, Live>;
  rows: ReadonlyMap<string, Evidence['runs'][number]['run']>;
  moved: ReadonlySet<string>;
  evidence: Evidence;
  problems: string[];
}): void {
  const { group, live, rows, moved, evidence, problems } = params;
  const { partition, epoch } = group;
  for (const packed of group.facts) {
    if (packed.kind === 'endedAt') {
      const prefix = `${partition}.${packed.seq}/`;
      // Fan-outs and growth of the catalogue stay below this.
      for (let task = 0; live.size > 0 && task < 16; task++) live.delete(`${prefix}${task}`);
      continue;
    }
    if (packed.kind !== 'fact' || !('attempt' in packed.fact)) continue;
    const { fact } = packed;
    const run = `${partition}.${fact.seq}`;
    const name = taskKey({ partition, seq: fact.seq, task: fact.task });
    if (fact.kind !== 'taskAssigned') {
      if (!GOES_ON.has(fact.kind)) live.delete(name);
      continue;
    }
    const row = rows.get(run);
    if (row === undefined) continue;
    const tasks = evidence.jobs.get(row.job)?.tasks ?? [];
    const slots = tasks[fact.task]?.request?.slots ?? 1;
    const owner = moved.has(run) ? '' : `${row.tenant}/P${row.class}`;
    live.set(name, { owner, worker: fact.worker, epoch, slots });
    const limit =
      row.class === 0 ? Number.POSITIVE_INFINITY : (evidence.limits.get(row.tenant) ?? 0);
    const running = count(live, (each) => each.owner === owner);
    if (owner !== '' && running > limit) {
      problems.push(`${owner} has ${running} running, its limit is ${limit} (${name})`);
    }
    const total = evidence.totals.get(fact.worker)?.slots ?? 0;
    let used = 0;
    for (const each of live.values()) {
      if (each.worker === fact.worker && each.epoch === epoch) used += each.slots;
    }
    if (used > total) problems.push(`${fact.worker} holds ${used} of ${total} slots (${name})`);
  }
}

const GOES_ON: ReadonlySet<string> = new Set(['taskStarted', 'taskCheckpointed', 'taskExtended']);

function count(live: ReadonlyMap<string, Live>, test: (live: Live) => boolean): number {
  let found = 0;
  for (const each of live.values()) if (test(each)) found++;
  return found;
}

/** A run that changed its class keeps running in the old one: it is counted in neither. */
function runsThatMoved({ journal }: Evidence): Set<string> {
  const moved = new Set<string>();
  for (const { partition, facts } of journal) {
    for (const packed of facts) {
      if (packed.kind !== 'fact' || packed.fact.kind !== 'runClassChanged') continue;
      moved.add(`${partition}.${packed.fact.seq}`);
    }
  }
  return moved;
}

function revivedAttempts(evidence: Evidence): string[] {
  const outcomes = new Map<string, string>();
  for (const { partition, facts } of evidence.journal) {
    for (const packed of facts) {
      if (packed.kind !== 'fact' || !('reason' in packed.fact) || !('attempt' in packed.fact))
        continue;
      const { seq, task, attempt, reason } = packed.fact;
      outcomes.set(`${taskKey({ partition, seq, task })}#${attempt}`, reason);
    }
  }
  for (const { run, end } of evidence.runs) {
    if (end === null) continue;
    const { partition, seq } = run.id;
    parseDetail(end.detail, run.id.ms).tasks.forEach(({ attempts }, task) => {
      for (const { number, outcome } of attempts) {
        outcomes.set(`${taskKey({ partition, seq, task })}#${number}`, outcome);
      }
    });
  }
  return evidence.events.flatMap((event) => {
    if (event.kind !== 'complete.acked') return [];
    const outcome = outcomes.get(`${taskKey(event.ref)}#${event.ref.number}`);
    if (outcome === undefined || !REVOKED.has(outcome)) return [];
    return [`attempt ${attemptKey(event.ref)} was ${outcome}, and its completion was accepted`];
  });
}
