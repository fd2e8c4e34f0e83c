import type { RunHead } from '@signalbox/engine';
import type { StoredRun } from '@signalbox/store';
import type { Evidence } from '../evidence.ts';
import type { HistoryEvent } from '../history.ts';
import { runKey, sameRun } from '../names.ts';
import type { Checker } from './checker.ts';

type Invoke = HistoryEvent & { kind: 'submit.invoke' };

const decoder = new TextDecoder();

/** C1: what was acknowledged is there; what is there was asked for; one key, one run. */
export const conservation: Checker = {
  name: 'C1',
  promise: 'accepted is durable, nothing appears by itself, one key means one run',
  check: (all) => {
    // Clients ask for no runs of windows, of ends and of tasks; C7, C13 and C15 know which must be.
    const isAskedFor = ({ window, event, nested }: RunHead) =>
      window === undefined && event === undefined && nested === undefined;
    const evidence = { ...all, runs: all.runs.filter((stored) => isAskedFor(headOf(stored))) };
    return [
      ...unexpectedRuns(evidence),
      ...doubledKeys(evidence),
      ...brokenAnswers(evidence),
      ...forgottenCancels(evidence),
    ];
  },
};

export function opOf({ run }: StoredRun): number {
  const text = run.input === null ? '' : decoder.decode(run.input);
  return text.startsWith('op ') ? Number(text.slice(3)) : Number.NaN;
}

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

function brokenAnswers(evidence: Evidence): string[] {
  const asked = invokes(evidence);
  const byRun = new Map(evidence.runs.map((stored) => [runKey(stored.run.id), stored]));
  const byOp = new Map(evidence.runs.map((stored) => [opOf(stored), stored]));
  const uniques = new Set(
    evidence.runs.map(
      (stored) => `${stored.run.tenant}/${stored.run.job}/${headOf(stored).unique}`,
    ),
  );
  return evidence.events.flatMap((event) => {
    switch (event.kind) {
      case 'submit.ok': {
        const stored = byRun.get(runKey(event.id));
        if (stored === undefined || !sameRun(stored.run.id, event.id)) {
          return [
            `operation ${event.op} was acknowledged as run ${runKey(event.id)}, which is lost`,
          ];
        }
        if (opOf(stored) === event.op) return [];
        const op = asked.get(event.op);
        const merged = event.duplicate && op?.unique != null && headOf(stored).unique === op.unique;
        return merged ? [] : [`operation ${event.op} was answered with another's run`];
      }
      case 'submit.inbox': {
        const op = asked.get(event.op);
        if (byOp.has(event.op) || evidence.inbox.includes(event.alias)) return [];
        const merged = op?.unique != null && uniques.has(`${op.tenant}/${op.job}/${op.unique}`);
        return merged ? [] : [`operation ${event.op} was acknowledged by the inbox and is lost`];
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
