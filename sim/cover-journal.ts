import { DUE_LANE, type PackedFact, parseDetail, type ScheduleFact } from '@signalbox/engine';
import type { Coverage, Sometimes } from './coverage.ts';
import type { Evidence } from './evidence.ts';
import { runKey } from './names.ts';

const BY_REASON: { readonly [reason: string]: Sometimes } = {
  never_arrived: 'attempt never arrived',
  worker_lost: 'attempt lost with its worker',
  permanent: 'permanent failure',
  timeout: 'timed out',
  rejected: 'approval rejected',
  stuck: 'stuck',
  refused: 'refused by worker',
  not_accepted: 'not accepted in time',
};

/** Counts what the journal itself tells. */
export function coverJournal(evidence: Evidence, coverage: Coverage): void {
  const reader = new JournalReader(evidence, coverage);
  for (const { partition, facts } of evidence.journal) {
    for (const packed of facts) {
      if (packed.kind === 'pagedInAt') reader.page(partition, packed);
      if (packed.kind === 'fact') reader.fact(partition, packed.fact);
      if (packed.kind === 'scheduleFact') coverSchedule(packed.fact, coverage);
    }
  }
  coverEnds(evidence, coverage);
  for (const event of evidence.events) {
    if (event.kind === 'segment.dropped' && event.runs > 0) {
      coverage.sometimes('segment with runs dropped');
    }
    if (event.kind === 'groups.dropped') coverage.sometimes('facts dropped', event.count);
    if (event.kind === 'keys.forgotten') {
      coverage.sometimes('key forgotten by the store', event.count);
    }
  }
}

function coverSchedule(fact: ScheduleFact, coverage: Coverage): void {
  switch (fact.kind) {
    case 'windowFired':
      return coverage.sometimes(fact.catchUp ? 'window caught up' : 'window fired');
    case 'windowHeld':
      return coverage.sometimes('window held');
    case 'windowsSkipped':
      return coverage.sometimes('windows skipped');
    case 'scheduleSet':
      return coverage.sometimes('schedule edited', fact.version > 1 ? 1 : 0);
    case 'scheduleRemoved':
    case 'windowMet':
  }
}

function coverEnds(evidence: Evidence, coverage: Coverage): void {
  for (const { run, end } of evidence.runs) {
    if (run.head.includes('"event":')) coverage.sometimes('run started by an end');
    if (end === null) continue;
    const { tasks } = parseDetail(end.detail, run.id.ms);
    for (const { state, attempts } of tasks) {
      if (state === 'QUARANTINED') coverage.sometimes('retry exhausted');
      const name = BY_REASON[attempts.at(-1)?.outcome ?? ''];
      if (name !== undefined) coverage.sometimes(name);
    }
    if (tasks.length > 1 && end.state === 'SUCCEEDED') coverage.sometimes('graph run finished');
    if (end.state === 'PARTIAL') coverage.sometimes('ended partial');
    if (tasks.length > 1 && end.state === 'FAILED') coverage.sometimes('graph failed fast');
  }
}

class JournalReader {
  readonly #coverage: Coverage;
  /** When each run is due; 0 for at once. */
  readonly #dueAt = new Map<string, number>();
  readonly #live = new Map<string, Set<number>>();
  readonly #cursors = new Map<string, string>();

  constructor(evidence: Evidence, coverage: Coverage) {
    this.#coverage = coverage;
    for (const { run } of evidence.runs) {
      if (!run.head.includes('dueAt')) continue;
      this.#dueAt.set(runKey(run.id), (JSON.parse(run.head) as { dueAt: number }).dueAt);
    }
  }

  /** A page moves the cursor; a run that was fetched alone does not. */
  page(partition: number, page: PackedFact & { kind: 'pagedInAt' }): void {
    const lane = `${partition}/${page.lane}`;
    const cursor = JSON.stringify(page.cursor);
    if (cursor === (this.#cursors.get(lane) ?? 'null')) this.#coverage.sometimes('fetched in');
    else if (page.lane === DUE_LANE) this.#coverage.sometimes('due lane read');
    else this.#coverage.sometimes('parked and paged in');
    this.#cursors.set(lane, cursor);
  }

  fact(partition: number, fact: (PackedFact & { kind: 'fact' })['fact']): void {
    const run = runKey({ partition, seq: fact.seq });
    switch (fact.kind) {
      case 'runCancelRequested':
        return this.#cancelled(run, fact.at);
      case 'runPaused':
        return this.#coverage.sometimes('run paused');
      case 'runResumed':
        return this.#coverage.sometimes('run resumed');
      case 'taskFannedOut':
        return this.#coverage.sometimes('fan-out');
      case 'tasksAdded':
        return this.#coverage.sometimes('tasks added');
      case 'taskWaiting':
        return this.#coverage.sometimes('wait begun');
      case 'eventKept':
        return this.#coverage.sometimes('event kept for a later wait');
      case 'eventTaken':
        return this.#coverage.sometimes('wait ended by an event');
      case 'nestedStarted':
        return this.#coverage.sometimes('nested run started');
      case 'taskSkipped':
        return this.#coverage.sometimes('task skipped');
      case 'tasksTakenOver':
      case 'notificationDue':
      case 'notificationDone':
      case 'runClassChanged':
      case 'taskStarted':
      case 'taskCheckpointed':
        return;
      case 'taskExtended':
        return this.#coverage.sometimes('extended');
      case 'taskAssigned':
        this.#live.set(run, (this.#live.get(run) ?? new Set()).add(fact.task));
        return;
      default: {
        this.#live.get(run)?.delete(fact.task);
        const name = 'reason' in fact ? BY_REASON[fact.reason] : undefined;
        if (name !== undefined) this.#coverage.sometimes(name);
      }
    }
  }

  #cancelled(run: string, at: number): void {
    const isRunning = (this.#live.get(run)?.size ?? 0) > 0;
    if (isRunning) this.#coverage.sometimes('cancelled while running');
    else if ((this.#dueAt.get(run) ?? 0) > at) this.#coverage.sometimes('cancelled while pending');
    else this.#coverage.sometimes('cancelled while queued');
  }
}
