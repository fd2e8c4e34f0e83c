import { type JobDefinition, parseDetail, type RunState } from '@signalbox/engine';
import type { Evidence } from '../evidence.ts';
import type { Checker } from './checker.ts';
import { GraphStory } from './graph-story.ts';

/**
 * C8: graphs go as their definitions say. A task begins only after what it waits for, as the failure
 * policy reads it; nothing begins behind a gate that did not open; a fan-out happens once and ends after its children; a paused run begins nothing; a
 * sleep lasts; a run ends as its tasks and its policy say; whoever is to be told is told.
 */
export const graphOrder: Checker = {
  name: 'C8',
  promise: 'a graph goes as its definition says',
  check: (evidence) => [...stories(evidence), ...wrongEnds(evidence)],
};

function stories({ journal, runs, jobs }: Evidence): string[] {
  const problems: string[] = [];
  // A retry goes on with results of another run, which its own facts do not tell.
  const own = runs.filter(({ run }) => !run.head.includes('"retryOf"'));
  const jobOf = new Map(own.map(({ run }) => [`${run.id.partition}.${run.id.seq}`, run.job]));
  const known = new Map<string, GraphStory>();
  for (const { partition, facts } of journal) {
    for (const packed of facts) {
      if (packed.kind !== 'fact') continue;
      const name = `${partition}.${packed.fact.seq}`;
      let story = known.get(name);
      if (story === undefined) {
        const definition = jobs.get(jobOf.get(name) ?? '');
        if (definition === undefined) continue;
        story = new GraphStory(name, definition);
        known.set(name, story);
      }
      story.read(packed.fact, problems);
    }
  }
  for (const story of known.values()) story.end(problems);
  return problems;
}

/** The end of a run follows from the ends of its tasks. */
function wrongEnds({ runs, jobs, journal }: Evidence): string[] {
  const cancelled = new Set<string>();
  for (const { partition, facts } of journal) {
    for (const packed of facts) {
      if (packed.kind !== 'fact' || packed.fact.kind !== 'runCancelRequested') continue;
      cancelled.add(`${partition}.${packed.fact.seq}`);
    }
  }
  return runs.flatMap(({ run, end }) => {
    const definition = jobs.get(run.job);
    if (end === null || definition === undefined) return [];
    const name = `${run.id.partition}.${run.id.seq}`;
    const states = parseDetail(end.detail, run.id.ms).tasks.map(({ state }) => state);
    const expected = endOf(definition, states, cancelled.has(name));
    return end.state === expected ? [] : [`run ${name} ended ${end.state}, not ${expected}`];
  });
}

function endOf(
  { failurePolicy, allowPartial }: JobDefinition,
  states: readonly string[],
  isCancelled: boolean,
): RunState {
  if (states.every((state) => state === 'SUCCEEDED' || state === 'SKIPPED')) return 'SUCCEEDED';
  if (isCancelled) return 'CANCELLED';
  const partial = allowPartial ?? (failurePolicy === 'CONTINUE' || failurePolicy === 'SKIP_FAILED');
  return partial && states.includes('SUCCEEDED') ? 'PARTIAL' : 'FAILED';
}
