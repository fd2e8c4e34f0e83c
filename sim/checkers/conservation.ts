import { compareRunIds, type RunHead } from '@signalbox/engine';
import type { StoredRun } from '@signalbox/store';
import type { Evidence } from '../evidence.ts';
import type { HistoryEvent } from '../history.ts';
import { opOf, readAlias, runKey, sameRun } from '../names.ts';
import { Calendar } from './calendar.ts';
import type { Checker } from './checker.ts';
import { lifetimes } from './lifetimes.ts';

type Invoke = HistoryEvent & { kind: 'submit.invoke' };

/** C1: what was acknowledged is there; what is there was asked for; one key, one run. */
export const conservation: Checker = {
  name: 'C1',
  promise: 'accepted is durable, nothing appears by itself, one key means one run',
  check: (all) => {
    // Clients ask for no runs of windows, of ends and of tasks; C7, C13 and C15 know which must be.
    const isAskedFor = ({ window, event, nested, trigger }: RunHead) =>
      window === undefined &&
      event === undefined &&
      nested === undefined &&
      trigger?.kind !== 'retry';
    const evidence = { ...all, runs: all.runs.filter((stored) => isAskedFor(headOf(stored))) };
    return [
      ...unexpectedRuns(evidence),
      ...doubledKeys(evidence),
      ...brokenAnswers(all),
      ...forgottenCancels(evidence),
    ];
  },
};

function headOf({ run }: StoredRun): RunHead {
  return run.head === '' ? {} : (JSON.parse(run.head) as RunHead);
}

function invokes(evidence: Evidence): Map<number, Invoke> {
  const found = new Map<number, Invoke>();
  for (const event of evidence.events)
    if (event.kind === 'submit.invoke') found.set(event.op, event);
  return found;
}

function unexpectedRuns(evidence: Evidence): string[] {
  const asked = invokes(evidence);
  return evidence.runs.flatMap((stored) => {
    const op = asked.get(opOf(stored));
    const name = runKey(stored.run.id);
    if (op === undefined) return [`run ${name} was never asked for`];
    if (op.tenant !== stored.run.tenant || op.job !== stored.run.job) {
      return [
        `run ${name} is of ${stored.run.tenant}/${stored.run.job}, asked for ${op.tenant}/${op.job}`,
      ];
    }
    return [];
  });
}

/**
 * Clients repeat only what carries a key, so an operation makes a second run only where its key was
 * dropped with time, and then not beside a live one.
 */
function doubledKeys(evidence: Evidence): string[] {
  const byOp = new Map<number, StoredRun[]>();
  for (const stored of evidence.runs) {
    const op = opOf(stored);
    const others = byOp.get(op);
    if (others === undefined) byOp.set(op, [stored]);
    else others.push(stored);
  }
  const doubled = [...byOp].filter(([, runs]) => runs.length > 1);
  if (doubled.length === 0) return [];
  const isForgotten = forgottenKeys(evidence);
  return doubled.flatMap(([op, runs]) => {
    const inOrder = runs.sort((a, b) => compareRunIds(a.run.id, b.run.id));
    return inOrder.slice(1).flatMap((stored, i) => {
      const before = inOrder[i] as StoredRun;
      if (isForgotten(before, stored)) return [];
      return [
        `operation ${op} became two runs: ${runKey(before.run.id)}, ${runKey(stored.run.id)}`,
      ];
    });
  });
}

/** Whether the key of a run may have been dropped, and the run had ended, when another took the key. */
function forgottenKeys(evidence: Evidence): (before: StoredRun, after: StoredRun) => boolean {
  const { keeping } = evidence.options.wild;
  if (keeping === null) return () => false;
  const calendar = new Calendar(evidence.events);
  const lives = lifetimes(evidence);
  const sweeps = evidence.events.flatMap((event) =>
    event.kind === 'keys.forgotten' ? [event.t] : [],
  );
  return (before, after) => {
    const [old, made] = [lives.get(runKey(before.run.id)), lives.get(runKey(after.run.id))];
    if (old === undefined || made === undefined || old.to > made.from) return false;
    if (!sweeps.some((t) => t >= old.from && t <= made.from)) return false;
    const passed = calendar.passed(old.from, made.from);
    return Math.max(passed, after.run.id.ms - before.run.id.ms) >= keeping.keysMs;
  };
}

/** What was acknowledged is there. Whether it is what was asked for is C16's. */
function brokenAnswers(evidence: Evidence): string[] {
  const byRun = new Map(evidence.runs.map((stored) => [runKey(stored.run.id), stored]));
  const byOp = new Set(evidence.runs.map(opOf));
  return evidence.events.flatMap((event) => {
    switch (event.kind) {
      case 'submit.ok': {
        const stored = byRun.get(runKey(event.id));
        if (stored !== undefined && sameRun(stored.run.id, event.id)) return [];
        return [`operation ${event.op} was acknowledged as run ${runKey(event.id)}, which is lost`];
      }
      case 'submit.inbox': {
        const waits = evidence.inbox.includes(readAlias(event.alias).entry);
        const run = evidence.aliases.get(event.alias);
        if (waits || (run !== undefined && byRun.has(runKey(run)))) return [];
        // Names are dropped with time; then only a run of its own tells what became of it.
        if (run === undefined && evidence.options.wild.keeping !== null) return [];
        return [`operation ${event.op} was acknowledged by the inbox and is lost`];
      }
      case 'submit.fail':
        return byOp.has(event.op) ? [`operation ${event.op} was refused and yet became a run`] : [];
      default:
        return [];
    }
  });
}

function forgottenCancels(evidence: Evidence): string[] {
  const cancelled = new Set<string>();
  for (const { partition, facts } of evidence.journal) {
    for (const packed of facts) {
      if (packed.kind !== 'fact' || packed.fact.kind !== 'runCancelRequested') continue;
      cancelled.add(runKey({ partition, seq: packed.fact.seq }));
    }
  }
  return evidence.events.flatMap((event) => {
    if (event.kind !== 'cancel.ok' || cancelled.has(runKey(event.id))) return [];
    return [`the cancellation of run ${runKey(event.id)} was acknowledged and is lost`];
  });
}
