import type { DumpedRun } from '../dump.ts';
import { type Shown, TERMINAL } from '../history.ts';

const RANK: Readonly<Record<string, number>> = { PENDING: 0, RUNNING: 1, PAUSED: 1 };

function rankOf(state: string): number {
  return TERMINAL.has(state) ? 2 : (RANK[state] ?? 0);
}

/** I20: what readers are shown never goes backwards, and an end that was shown is the end. */
export function judgeViews(shown: readonly Shown[], runs: readonly DumpedRun[]): string[] {
  const problems: string[] = [];
  const byRun = new Map<string, Shown[]>();
  for (const view of shown) {
    const own = byRun.get(view.id);
    if (own === undefined) byRun.set(view.id, [view]);
    else own.push(view);
  }
  const ends = new Map(runs.map((run) => [run.id, run.state]));
  for (const [id, views] of byRun) {
    const byAnswer = views.toSorted((a, b) => a.answeredAt - b.answeredAt);
    let answered = 0;
    let best: Shown | null = null;
    for (const view of views.toSorted((a, b) => a.invokedAt - b.invokedAt)) {
      for (let next = byAnswer[answered]; ; next = byAnswer[answered]) {
        if (next === undefined || next.answeredAt >= view.invokedAt) break;
        if (best === null || rankOf(next.state) > rankOf(best.state)) best = next;
        answered++;
      }
      if (best !== null && rankOf(view.state) < rankOf(best.state)) {
        problems.push(`run ${id} was shown ${view.state} after ${best.state}`);
      }
      const end = ends.get(id);
      if (TERMINAL.has(view.state) && end !== undefined && view.state !== end) {
        problems.push(`run ${id} was shown ${view.state} and ended ${end}`);
      }
    }
  }
  return problems;
}
