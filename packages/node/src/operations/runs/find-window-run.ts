import { parseRunId, type RunId, scheduleSpec } from '@signalbox/engine';
import type { NodeContext } from '../../context/node-context.ts';
import { parseWindowId } from './window-id.ts';
import { windowRunsSince } from './window-runs.ts';

/**
 * The run of a window, by the window's name; null if it has none. If the window was run again on request, returns the
 * first run.
 */
export async function findWindowRun(
  context: NodeContext,
  tenant: string,
  text: string,
): Promise<RunId | null> {
  const window = parseWindowId(text);
  if (window === null) return null;
  const { schedule: name, atMs } = window;
  const definition = await context.store.getDefinition({ tenant, kind: 'schedule', name });
  if (definition === null) return null;
  const { job } = scheduleSpec(JSON.parse(definition.body));
  // No run is made before its window.
  const runs = await windowRunsSince(context, tenant, { job, schedule: name, sinceMs: atMs });
  const first = runs.findLast((run) => run.window.at === atMs);
  return first === undefined ? null : parseRunId(first.id);
}
