import type { RunHead } from '@signalbox/engine';
import type { StoredRun } from '@signalbox/store';
import type { Evidence } from '../evidence.ts';
import type { HistoryEvent } from '../history.ts';
import { opOf, readAlias, runKey, sameRun } from '../names.ts';
import type { Checker } from './checker.ts';

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
      trigger?.kind !== 'redrive';
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

/** Clients repeat only what carries a key, so an operation never makes two runs. */
function doubledKeys(evidence: Evidence): string[] {
  const byOp = new Map<number, StoredRun>();
  return evidence.runs.flatMap((stored) => {
    const op = opOf(stored);
    const other = byOp.get(op);
    if (other === undefined) {
      byOp.set(op, stored);
      return [];
    }
    return [`operation ${op} became two runs: ${runKey(other.run.id)}, ${runKey(stored.run.id)}`];
  });
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
