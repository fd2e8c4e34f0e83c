import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { settle } from '../core/settle.ts';
import { taskSucceeded } from '../facts/facts.ts';
import { eventKept, eventTaken } from '../facts/graph-facts.ts';
import type { WaitSpec } from '../model/graph-spec.ts';
import type { Run, Task } from '../model/run.ts';
import type { KeptEvent } from '../model/run-events.ts';
import { of } from './of.ts';
import type { GraphPorts } from './ports.ts';
import { lacksInput, scopeOf } from './scope.ts';

type EventSpec = WaitSpec & { kind: 'event' };
type EventCommand = Command & { kind: 'event' };

/**
 * An event came. In every run that waits for such a one it counts once, for one wait: the first that
 * has begun and takes it. Where none does, the run keeps it for a wait that has not begun: whoever
 * answers what an earlier task asked for is often quicker than the graph. Told again, it changes
 * nothing, so every way that it comes may bring it more than once.
 */
export function hearEvent(core: Core, command: EventCommand, ports: GraphPorts): Answer {
  const waits = core.eventWaits
    .of(command.tenant, command.type)
    .filter(({ run }) => run.partition === command.partition && isNew(run, command));
  // Judged without the input that its filter asks for, the event would be lost to the wait.
  const bare = new Set(waits.filter((task) => wantsInput(task, ports)).map(({ run }) => run));
  for (const run of bare) core.tell({ kind: 'loadInput', run });
  if (bare.size > 0) return NOT_YET;
  for (const tasks of Map.groupBy(waits, ({ run }) => run).values()) {
    offer(core, tasks, { command, ports });
  }
  return DONE;
}

function isNew(run: Run, { key }: EventCommand): boolean {
  return !run.doomed && !run.graph?.events?.knows(key);
}

/** What one run makes of it; `tasks` are its waits for such events that have not ended. */
function offer(
  core: Core,
  tasks: readonly Task[],
  { command, ports }: { command: EventCommand; ports: GraphPorts },
): void {
  const { key, type, event } = command;
  const [begun, later] = [tasks.filter(hasBegun), tasks.filter((task) => !hasBegun(task))];
  const taker = begun.find((task) => suits(task, event, ports));
  if (taker !== undefined) return take(core, taker, { key, event });
  const told = later.filter((task) => !isUntold(task, ports) && suits(task, event, ports));
  const isWanted =
    told.some((task) => isShort(task, later)) || later.some((t) => isUntold(t, ports));
  if (!isWanted) return;
  const { run } = tasks[0] as Task;
  const { partition, seq } = run;
  const kept = { key, type, event, suits: told.map(({ index }) => index) };
  core.emit(core.bookOf(run), eventKept({ partition, seq, at: core.now, ...kept }), run);
}

/**
 * Whether the wait could go without, for all that is kept: as many events as there are waits that
 * might take them leave one for each. A busy type must not fill every run that waits for it later.
 */
function isShort({ index, run }: Task, later: readonly Task[]): boolean {
  const kept = run.graph?.events?.kept ?? [];
  return kept.filter((event) => event.suits.includes(index)).length < later.length;
}

/** Its filter looks at what its parents gave, which is not there yet. */
function isUntold(task: Task, ports: GraphPorts): boolean {
  const { when } = waitOf(task);
  return when !== null && ports.reads(when).tasks;
}

function wantsInput(task: Task, ports: GraphPorts): boolean {
  const { when } = waitOf(task);
  if (when === null || !lacksInput(task.run)) return false;
  const { input, tasks } = ports.reads(when);
  return input && (hasBegun(task) || !tasks);
}

/** A filter that cannot be evaluated on this event does not let it through; the wait goes on. */
function suits(task: Task, event: Uint8Array, ports: GraphPorts): boolean {
  const { when } = waitOf(task);
  if (when === null) return true;
  const judged = ports.judge(when, scopeOf(task, event));
  return 'value' in judged && judged.value;
}

/**
 * What a wait that is about to begin finds: an event that came before it, nothing, or that it cannot
 * be told before the input of its run has been read.
 */
export function findKept(task: Task, ports: GraphPorts): KeptEvent | 'unknown' | null {
  const { type, when } = waitOf(task);
  const kept = (task.run.graph?.events?.kept ?? []).filter((event) => event.type === type);
  if (kept.length === 0) return null;
  if (when !== null && lacksInput(task.run) && ports.reads(when).input) return 'unknown';
  return kept.find(({ event }) => suits(task, event, ports)) ?? null;
}

/** The wait is over; its event becomes the task's output. */
export function take(
  core: Core,
  task: Task,
  { key, event }: { readonly key: string; readonly event: Uint8Array },
): void {
  const { partition, seq } = task.run;
  const fact = eventTaken({ partition, seq, task: task.index, at: core.now, key });
  core.emit(core.bookOf(task.run), fact, task.run);
  settle(core, task, taskSucceeded({ ...of(core, task), output: event }));
}

function hasBegun({ part }: Task): boolean {
  return part !== null && part.waitsSince > 0;
}

function waitOf(task: Task): EventSpec {
  return task.spec.step.wait as EventSpec;
}

const NOT_YET: Answer = {
  kind: 'refused',
  code: 'unavailable',
  message: 'runs that wait for this event are still being read; retry',
};
