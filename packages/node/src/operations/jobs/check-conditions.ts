import type { TaskDefinition } from '@signalbox/protocol';
import { conditionPrograms } from '../../cel/conditions.ts';
import { invalid, shown } from '../../errors/refusals.ts';
import { namedTasks } from './named-tasks.ts';

interface Written {
  readonly field: string;
  readonly expression: string;
  readonly after: readonly string[];
}

/** Refuses conditions that could never be evaluated, before a run finds out. */
export function checkConditions(tasks: readonly TaskDefinition[]): void {
  const written = writtenIn(tasks);
  if (written.length === 0) return;
  const programs = conditionPrograms();
  for (const { field, expression } of written) {
    const compiled = programs.compile({ field, expression, result: 'bool' });
    if (compiled.kind === 'refused') throw invalid(field, compiled.refusal.message);
  }
}

/** A condition sees what the task's parents gave: of another task it could not tell whether it has ended. */
export function checkParentsOfConditions(tasks: readonly TaskDefinition[]): void {
  for (const { field, expression, after } of writtenIn(tasks)) {
    const stranger = namedTasks(expression).find((name) => !after.includes(name));
    if (stranger === undefined) continue;
    throw invalid(field, `${shown(stranger)} must be listed in after of this task`);
  }
}

function writtenIn(tasks: readonly TaskDefinition[]): Written[] {
  return tasks.flatMap(({ when, event, after = [] }, i) => [
    ...(when === undefined ? [] : [{ field: `tasks[${i}].when`, expression: when, after }]),
    ...(event?.filter === undefined
      ? []
      : [{ field: `tasks[${i}].event.filter`, expression: event.filter, after }]),
  ]);
}
