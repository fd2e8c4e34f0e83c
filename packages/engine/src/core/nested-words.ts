import { parseDetail, resultOutput } from '../facts/detail.ts';
import type { RunEnded } from '../facts/facts.ts';
import { isClosedGate, isFailure, taskName } from '../model/graph.ts';
import { nestedKey } from '../model/nested.ts';
import type { Run, Task } from '../model/run.ts';
import { formatRunId, parseRunId, type RunId } from '../model/run-id.ts';
import type { Core } from './core.ts';

/** The wait is over and its nested run is not, or may still begin: it is to end as well. */
export function oweCancel(core: Core, task: Task): void {
  const nested = aboutNested(task);
  if (nested !== null) owe(core, task.run, { kind: 'cancelNested', ...nested });
}

/** PRI-13: what a more urgent run waits for is as urgent. */
export function oweRaise(core: Core, task: Task): void {
  const nested = aboutNested(task);
  if (nested === null) return;
  owe(core, task.run, { kind: 'raiseNested', ...nested, class: task.run.class });
}

/** The end of a nested run is told to the task that waits for it, with the commit of that very end. */
export function oweEnd(core: Core, run: Run, fact: RunEnded): void {
  const { nested } = run.head;
  const to = nested === undefined ? null : parseRunId(nested.of);
  if (nested === undefined || to === null) return;
  const failed = run.tasks.find(({ state, error }) => isFailure(state) && error !== null);
  core.owe({
    partition: run.partition,
    seq: run.seq,
    tenant: run.spec.tenant,
    saying: {
      kind: 'nestedEnded',
      job: run.spec.job,
      to: { partition: to.partition, seq: to.seq },
      task: nested.index,
      since: nested.since,
      run: formatRunId(run),
      state: fact.state,
      isGateClosed: run.tasks.some(isClosedGate),
      error: failed === undefined ? '' : `: ${taskName(failed)}: ${failed.error}`,
    },
    payload: resultOutput(parseDetail(fact.detail, fact.ms), fact.output),
  });
}

function aboutNested(task: Task): { job: string; key: string; of: RunId } | null {
  const { part, run } = task;
  const { wait } = task.spec.step;
  if (wait?.kind !== 'run' || part === null) return null;
  const { ms, partition, seq } = run;
  return { job: wait.job, key: nestedKey(task, part.waitsSince), of: { ms, partition, seq } };
}

function owe(core: Core, run: Run, saying: Parameters<Core['owe']>[0]['saying']): void {
  const { partition, seq, spec } = run;
  core.owe({ partition, seq, tenant: spec.tenant, saying, payload: null });
}
