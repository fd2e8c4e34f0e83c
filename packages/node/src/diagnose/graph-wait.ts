import { assertNever, type Task, taskName, type WaitSpec } from '@signalbox/engine';
import type { Finding } from './reasons.ts';
import { duration } from './words.ts';

/** Children named in an answer; a fan-out may have thousands. */
const CHILDREN_TOLD = 5;

/** What holds a task that only graphs know: a pause, a wait, its children, its turn; null for none. */
export function diagnoseGraphWait(task: Task, now: number): Finding | null {
  const { run, part, spec } = task;
  const paused = run.graph?.paused ?? null;
  if (paused !== null && task.attempt === null) return runPaused(paused);
  if (part === null) return null;
  if (part.firstChild >= 0) return waitingChildren(task, part);
  if (part.waitsSince > 0 && spec.step.wait !== null) {
    return waiting(spec.step.wait, { task, sinceMs: now - part.waitsSince, now });
  }
  if (!part.paced) return null;
  const perSecond = run.spec.graph.readyPerSecond;
  return {
    reason: 'WAITING_TURN',
    detail: `So many tasks became ready at once that they are handed out at ${perSecond} a second.`,
    suggestion: 'Nothing: its turn comes. `limits.readyPerSecond` of the job sets the pace.',
    numbers: { perSecond },
  };
}

function runPaused({ by, why, detail }: { by: string; why: string; detail: string }): Finding {
  const reasons: Readonly<Record<string, string>> = {
    asked: `${by} has paused its run.`,
    task_failed: `Its run was paused because a task failed: ${detail}`,
    fan_out_limit: `Its run was paused: ${detail}.`,
  };
  const more = why === 'fan_out_limit' ? ' with --fan-out-max, or cancel it' : ', or cancel it';
  return {
    reason: 'RUN_PAUSED',
    detail: reasons[why] ?? `Its run is paused: ${detail}`,
    suggestion: `Resume the run (\`signalbox runs resume\`)${more}.`,
    numbers: { why, by },
  };
}

function waitingChildren(task: Task, part: NonNullable<Task['part']>): Finding {
  const { firstChild, childCount, childrenFailed } = part;
  const open: string[] = [];
  for (let i = firstChild; i < firstChild + childCount && open.length < CHILDREN_TOLD; i++) {
    const child = task.run.tasks[i] as Task;
    if (child.state === 'PENDING' || child.attempt !== null || child.state === 'QUEUED') {
      open.push(`${taskName(child)} (${child.state})`);
    }
  }
  return {
    reason: 'WAITING_CHILDREN',
    detail: `It waits for ${task.waitsFor} of its ${childCount} children: ${open.join(', ')}${task.waitsFor > open.length ? ', …' : ''}.`,
    suggestion: `See why ${open[0]?.split(' ')[0] ?? 'the first of them'} has not ended.`,
    numbers: { open: task.waitsFor, of: childCount, failed: childrenFailed },
  };
}

function waiting(
  wait: WaitSpec,
  { task, sinceMs, now }: { task: Task; sinceMs: number; now: number },
): Finding {
  const since = duration(sinceMs);
  const leftMs = task.dueAt > now ? task.dueAt - now : null;
  const left = leftMs === null ? '' : `, and goes on without in ${duration(leftMs)}`;
  const numbers = { sinceMs, ...(leftMs === null ? {} : { leftMs }) };
  switch (wait.kind) {
    case 'sleep':
      return {
        reason: 'WAITING_UNTIL',
        detail: `It sleeps until ${new Date(task.dueAt).toISOString()}, for ${duration(leftMs ?? 0)} more.`,
        suggestion: 'Nothing: it goes on by itself.',
        numbers: { ...numbers, dueAt: task.dueAt },
      };
    case 'approval':
      return {
        reason: 'WAITING_PERSON',
        detail: `It has waited for a person for ${since}${left}${wait.message === '' ? '' : `: ${wait.message}`}`,
        suggestion: 'Approve or reject it: `signalbox approve RUN:TASK`.',
        numbers,
      };
    case 'event':
      return {
        reason: 'WAITING_EVENT',
        detail: `It has waited for an event of type ${wait.type} for ${since}${left}.`,
        suggestion: 'Send the event, or tell the task alone: POST /runs/{id}/tasks/{task}/event.',
        numbers: { ...numbers, type: wait.type },
      };
    case 'run':
      return {
        reason: 'WAITING_RUN',
        detail: `It has waited for a run of ${wait.job} for ${since}.`,
        suggestion: `See how that goes: \`signalbox runs --job ${wait.job}\`.`,
        numbers: { ...numbers, job: wait.job },
      };
    default:
      return assertNever(wait);
  }
}
