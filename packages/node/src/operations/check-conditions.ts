import type { TaskDefinition } from '@signalbox/protocol';
import { conditionPrograms } from '../graph/conditions.ts';
import { invalid } from './refusals.ts';

/** Refuses conditions that could never be evaluated, before a run finds out. */
export function checkConditions(tasks: readonly TaskDefinition[]): void {
  const written = tasks.flatMap(({ when, event }, i) => [
    ...(when === undefined ? [] : [{ field: `tasks[${i}].when`, expression: when }]),
    ...(event?.when === undefined
      ? []
      : [{ field: `tasks[${i}].event.when`, expression: event.when }]),
  ]);
  if (written.length === 0) return;
  const programs = conditionPrograms();
  for (const { field, expression } of written) {
    const compiled = programs.compile({ field, expression, result: 'bool' });
    if (compiled.kind === 'refused') throw invalid(field, compiled.refusal.message);
  }
}
