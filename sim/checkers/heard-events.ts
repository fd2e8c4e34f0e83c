import type { PackedFact } from '@signalbox/engine';
import type { Evidence, JournalGroup } from '../evidence.ts';
import { runKey } from '../names.ts';
import { LISTENS } from '../world/catalogue.ts';
import type { Checker } from './checker.ts';

interface Sent {
  readonly tenant: string;
  readonly key: string;
  readonly n: number;
}

/** A wait of a run as the journal tells it. */
interface Wait {
  readonly wants: (n: number) => boolean;
  begun: boolean;
  ended: boolean;
}

/** One run that waits for events. */
class Listener {
  readonly tenant: string;
  readonly waits: ReadonlyMap<number, Wait>;
  readonly kept = new Map<string, number>();
  readonly taken = new Map<string, number>();
  isOver = false;

  constructor(tenant: string) {
    this.tenant = tenant;
    const tasks = LISTENS.definition.tasks ?? [];
    this.waits = new Map(
      tasks.flatMap(({ event }, i) => {
        if (event === undefined) return [];
        const wants = (n: number) => event.when === undefined || n % 2 === 0;
        return [[i, { wants, begun: false, ended: false }] as const];
      }),
    );
  }
}

/**
 * C14: an acknowledged event is heard, whoever dies: it leaves the inbox in a commit, and after that
 * commit no run waits on for what it was told, nor will. In a run an event ends one wait, and is what
 * the wait gives.
 */
export const heardEvents: Checker = {
  name: 'C14',
  promise: 'an acknowledged event is heard, once in a run',
  check: (evidence) => (evidence.options.hears ? [...entries(evidence), ...stories(evidence)] : []),
};

/** Every acknowledged entry was taken. Read again before that commit was there, it is so again. */
function entries({ events, journal }: Evidence): string[] {
  const taken = new Set(journal.flatMap((group) => group.taken));
  return events.flatMap((event) => {
    if (event.kind !== 'event.ok' || taken.has(event.entry)) return [];
    return [`the acknowledged event ${event.entry} was never heard`];
  });
}

function stories(evidence: Evidence): string[] {
  const problems: string[] = [];
  const sent = new Map<string, Sent>();
  for (const event of evidence.events)
    if (event.kind === 'event.sent') sent.set(event.entry, event);
  // A retry goes on with what its run had been told.
  const listens = evidence.runs.filter(({ run }) => {
    return run.job === LISTENS.name && !run.head.includes('"retryOf"');
  });
  const jobs = new Map(listens.map(({ run }) => [runKey(run.id), run.tenant]));
  const live = new Map<string, Listener>();
  for (const group of evidence.journal) {
    const before = begunBefore(live, group.partition);
    for (const packed of group.facts) readFact(live, { group, packed, jobs, problems });
    for (const id of group.taken) {
      const event = sent.get(id);
      if (event !== undefined) overlooked(before, event, problems);
    }
  }
  return [...problems, ...strange(evidence, sent)];
}

type Before = readonly { name: string; run: Listener; begun: ReadonlySet<number> }[];

function begunBefore(live: ReadonlyMap<string, Listener>, partition: number): Before {
  return [...live]
    .filter(([name]) => name.startsWith(`${partition}.`))
    .map(([name, run]) => {
      const begun = [...run.waits].filter(([, wait]) => wait.begun).map(([task]) => task);
      return { name, run, begun: new Set(begun) };
    });
}

function readFact(
  live: Map<string, Listener>,
  of: {
    group: JournalGroup;
    packed: PackedFact;
    jobs: ReadonlyMap<string, string>;
    problems: string[];
  },
): void {
  const { group, packed, jobs, problems } = of;
  const { partition } = group;
  if (packed.kind === 'submittedAt') {
    const name = runKey({ partition, seq: packed.run.seq });
    const tenant = jobs.get(name);
    if (tenant !== undefined) live.set(name, new Listener(tenant));
  }
  if (packed.kind === 'endedAt') {
    const name = runKey({ partition, seq: packed.seq });
    const run = live.get(name);
    if (run !== undefined) run.isOver = true;
    live.delete(name);
  }
  if (packed.kind !== 'fact') return;
  const { fact } = packed;
  const name = runKey({ partition, seq: fact.seq });
  const run = live.get(name);
  if (run === undefined) return;
  const wait = 'task' in fact ? run.waits.get(fact.task) : undefined;
  switch (fact.kind) {
    case 'runCancelRequested':
      run.isOver = true;
      return;
    case 'eventKept':
      run.kept.set(fact.key, numberOf(fact.event));
      return;
    case 'eventTaken':
      if (run.taken.has(fact.key)) problems.push(`run ${name}: ${fact.key} ended two waits`);
      run.taken.set(fact.key, fact.task);
      run.kept.delete(fact.key);
      return;
    case 'taskWaiting':
      if (wait !== undefined) wait.begun = true;
      return;
    case 'taskSucceeded': {
      if (wait === undefined) return;
      wait.ended = true;
      const [key] = [...run.taken].find(([, task]) => task === fact.task) ?? [];
      const given = fact.output === null ? null : `e${numberOf(fact.output)}`;
      if (key === undefined || key !== given) {
        problems.push(
          `run ${name}: task ${fact.task} gave ${given}, and heard ${key ?? 'nothing'}`,
        );
      }
      return;
    }
    case 'taskSkipped':
    case 'taskCancelled':
      if (wait !== undefined) wait.ended = true;
      return;
    default:
  }
}

/** The event was heard in this group: whoever was there for it has it, or has another instead. */
function overlooked(before: Before, { tenant, key, n }: Sent, problems: string[]): void {
  for (const { name, run, begun } of before) {
    if (run.tenant !== tenant || run.isOver || run.taken.has(key) || run.kept.has(key)) continue;
    for (const [task, wait] of run.waits) {
      if (wait.ended || !wait.wants(n)) continue;
      const hasAnother = [...run.kept.values()].some((other) => wait.wants(other));
      if (begun.has(task)) problems.push(`run ${name}: task ${task} waits on in spite of ${key}`);
      else if (!wait.begun && !hasAnother) {
        problems.push(`run ${name}: ${key} was not kept for task ${task}`);
      }
    }
  }
}

/** What ended a wait was sent, by somebody of the same tenant, and passes its filter. */
function strange({ journal, runs }: Evidence, sent: ReadonlyMap<string, Sent>): string[] {
  const known = new Map([...sent.values()].map((event) => [`${event.tenant} ${event.key}`, event]));
  const tenants = new Map(runs.map(({ run }) => [runKey(run.id), run.tenant]));
  return journal.flatMap(({ partition, facts }) =>
    facts.flatMap((packed) => {
      if (packed.kind !== 'fact' || packed.fact.kind !== 'eventTaken') return [];
      const { seq, key, task } = packed.fact;
      const name = runKey({ partition, seq });
      const tenant = tenants.get(name) ?? '';
      const event = known.get(`${tenant} ${key}`);
      const wait = new Listener(tenant).waits.get(task);
      if (event !== undefined && wait?.wants(event.n)) return [];
      return [`run ${name}: task ${task} was ended by ${key}, which was not for it`];
    }),
  );
}

function numberOf(event: Uint8Array): number {
  return (JSON.parse(new TextDecoder().decode(event)) as { n: number }).n;
}
