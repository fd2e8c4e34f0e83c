import { parseRunId } from '@signalbox/engine';
import type { DumpedRun } from '../dump.ts';
import { type RunStreamed, type Streamed, TERMINAL } from '../history.ts';

/**
 * The end of every run is sent once, over all connections of a stream, on whichever nodes: of the
 * partitions that its first position names every one, unless `reset` was sent; of others perhaps.
 */
export function judgeStreams(streams: readonly Streamed[], runs: readonly DumpedRun[]): string[] {
  const problems: string[] = [];
  for (const { tenant, partitions, ends, resets } of streams) {
    const sent = Map.groupBy(ends, ({ run }) => run);
    for (const { id, state } of runs.filter((run) => run.tenant === tenant)) {
      const states = (sent.get(id) ?? []).map((end) => end.state);
      const isOwed = resets === 0 && partitions.has(parseRunId(id)?.partition ?? -1);
      if (isOwed && states.length === 0) {
        problems.push(`the events of ${tenant} lack the end of run ${id}`);
      }
      if (states.length > 1) problems.push(`the events of ${tenant} have run ${id} end twice`);
      if (states.some((each) => each !== state)) {
        problems.push(`the events of ${tenant} have run ${id} end ${states}, but it is ${state}`);
      }
    }
  }
  return problems;
}

/** Partitions that no stream of a tenant had to send: then the test itself has watched too little. */
export function unwatched(streams: readonly Streamed[], partitions: number): string[] {
  return [...Map.groupBy(streams, ({ tenant }) => tenant)].flatMap(([tenant, own]) => {
    const covered = new Set(own.flatMap((stream) => [...stream.partitions]));
    if (covered.size === partitions) return [];
    return [`the streams of ${tenant} cover ${covered.size} of ${partitions} partitions`];
  });
}

/** The stream of one run says once how it ended, sends no event again, and comes to its end. */
export function judgeRunStreams(
  streams: readonly RunStreamed[],
  runs: readonly DumpedRun[],
): string[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  return streams.flatMap(({ id, began, ends, ids, resets, isOver }) => {
    const state = byId.get(id)?.state;
    // It ended before the stream began, or was gone before that could be asked.
    if (began === null) return [];
    if (!isOver) return [`the stream of run ${id} never came to its end`];
    const problems: string[] = [];
    if (ends.some((end) => end !== state)) problems.push(`ended ${ends}, but it is ${state}`);
    // The first state may show an end that comes as an event as well.
    const fewest = TERMINAL.has(began) || resets > 0 ? 0 : 1;
    if (ends.length < fewest || ends.length > 1) problems.push(`ended ${ends.length} times`);
    if (new Set(ids).size !== ids.length) problems.push(`was sent an event twice: ${ids}`);
    return problems.map((problem) => `the stream of run ${id} ${problem}`);
  });
}
