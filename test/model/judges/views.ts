import type { DumpedRun } from '../dump.ts';
import { type Shown, TERMINAL } from '../history.ts';

const RANK: Readonly<Record<string, number>> = { PENDING: 0, RUNNING: 1, PAUSED: 1 };

function rankOf(state: string): number {
  return TERMINAL.has(state) ? 2 : (RANK[state] ?? 0);
}

/** A node that does not own the run reads it from the journal, and keeps that for half a second. */
export const OTHER_NODE_MS = 600;

/**
 * I20: what readers are shown never goes backwards, and an end that was shown is the end. From one node
 * to another it may be as old as a node that is not the owner keeps what it has read.
 */
export function judgeViews(shown: readonly Shown[], runs: readonly DumpedRun[]): string[] {
  const problems: string[] = [];
  const ends = new Map(runs.map((run) => [run.id, run.state]));
  for (const [id, views] of Map.groupBy(shown, (view) => view.id)) {
    const nodes = Map.groupBy(views, ({ node }) => node);
    for (const [node, own] of nodes) {
      problems.push(...goesBack(own, own, 0));
      const others = views.filter((view) => view.node !== node);
      problems.push(...goesBack(own, others, OTHER_NODE_MS));
    }
    const end = ends.get(id);
    for (const { state } of views) {
      if (!TERMINAL.has(state) || end === undefined || state === end) continue;
      problems.push(`run ${id} was shown ${state} and ended ${end}`);
    }
  }
  return problems;
}

/** Views that show less than one of the earlier ones, which was answered this long before they were asked for. */
function goesBack(views: readonly Shown[], earlier: readonly Shown[], allowedMs: number): string[] {
  const problems: string[] = [];
  const byAnswer = earlier.toSorted((a, b) => a.answeredAt - b.answeredAt);
  let answered = 0;
  let best: Shown | null = null;
  for (const view of views.toSorted((a, b) => a.invokedAt - b.invokedAt)) {
    for (let next = byAnswer[answered]; ; next = byAnswer[answered]) {
      if (next === undefined || next.answeredAt + allowedMs >= view.invokedAt) break;
      if (best === null || rankOf(next.state) > rankOf(best.state)) best = next;
      answered++;
    }
    if (best !== null && rankOf(view.state) < rankOf(best.state)) {
      const nodes = `${view.node}, ${view.invokedAt - best.answeredAt} ms after ${best.node}`;
      problems.push(`run ${view.id} was shown ${view.state} after ${best.state} (${nodes})`);
    }
  }
  return problems;
}
