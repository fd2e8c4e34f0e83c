import type { DumpedRun } from '../dump.ts';
import type { Streamed } from '../history.ts';

/** The end of every run is sent once, over all connections of a stream, unless `reset` was sent. */
export function judgeStreams(streams: readonly Streamed[], runs: readonly DumpedRun[]): string[] {
  const problems: string[] = [];
  for (const { tenant, ends, resets } of streams) {
    const sent = new Map<string, string[]>();
    for (const { run, state } of ends) sent.set(run, [...(sent.get(run) ?? []), state]);
    for (const { id, state } of runs.filter((run) => run.tenant === tenant)) {
      const states = sent.get(id) ?? [];
      const isMissing = states.length === 0 && resets === 0;
      if (isMissing) problems.push(`the events of ${tenant} lack the end of run ${id}`);
      if (states.length > 1) problems.push(`the events of ${tenant} have run ${id} end twice`);
      if (states.some((each) => each !== state)) {
        problems.push(`the events of ${tenant} have run ${id} end ${states}, but it is ${state}`);
      }
    }
  }
  return problems;
}
