import type { RunHead } from '@signalbox/engine';
import type { Evidence, JournalGroup } from '../evidence.ts';
import { runKey } from '../names.ts';
import type { Checker } from './checker.ts';
import { type SavedTime, ScheduleStory } from './schedule-story.ts';

/** C7: every window of every schedule is decided once; an extra run is as bad as a missing one. */
export const windows: Checker = {
  name: 'C7',
  promise: 'one run for each window of a schedule, or a recorded reason why not',
  check: (evidence) => [...brokenStories(evidence), ...unmatchedRuns(evidence)],
};

function brokenStories(evidence: Evidence): string[] {
  const saved = savedVersions(evidence);
  const stories = new Map<string, ScheduleStory>();
  const grants = grantTimes(evidence);
  for (const { partition, epoch, facts, t } of evidence.journal) {
    const told = { t, ownedSince: grants.get(`${partition}/${epoch}`) ?? 0 };
    for (const packed of facts) {
      if (packed.kind === 'endedAt') {
        for (const [key, story] of stories)
          if (key.startsWith(`${partition}/`)) story.ended(packed.seq);
      }
      if (packed.kind !== 'scheduleFact') continue;
      const { tenant, schedule } = packed.fact;
      const key = `${partition}/${tenant}/${schedule}`;
      let story = stories.get(key);
      if (story === undefined) {
        story = new ScheduleStory(
          `${tenant}/${schedule}`,
          saved.get(`${tenant}/${schedule}`) ?? new Map(),
        );
        stories.set(key, story);
      }
      story.tell(packed.fact, told);
    }
  }
  const problems = [...stories.values()].flatMap((story) => story.problems);
  problems.push(...foreignInputs(evidence, stories));
  for (const [name, versions] of saved) {
    const story = [...stories].find(([key]) => key.endsWith(`/${name}`))?.[1];
    const newest = Math.max(...versions.keys());
    if (story?.version === newest && story.isOver) continue;
    // One that was deleted before anybody had heard of it leaves no trace.
    if (story === undefined && isDeleted(evidence, name, newest)) continue;
    problems.push(`schedule ${name}: version ${newest} was saved and not carried out`);
  }
  return problems;
}

/** The run of a window has the input of the version that held at its instant, however late it runs. */
function foreignInputs(evidence: Evidence, stories: ReadonlyMap<string, ScheduleStory>): string[] {
  const bytes = new Map(evidence.runs.map(({ run }) => [runKey(run.id), run.inputBytes]));
  const problems: string[] = [];
  for (const [key, { inputs }] of stories) {
    const partition = Number.parseInt(key, 10);
    for (const [seq, input] of inputs) {
      const found = bytes.get(runKey({ partition, seq }));
      if (found === undefined || found === (input?.length ?? 0)) continue;
      problems.push(`schedule ${key}: run ${seq} has the input of another version`);
    }
  }
  return problems;
}

function savedVersions(evidence: Evidence): Map<string, Map<number, SavedTime>> {
  const saved = new Map<string, Map<number, SavedTime>>();
  for (const event of evidence.events) {
    if (event.kind !== 'schedule.saved') continue;
    const name = `${event.tenant}/${event.name}`;
    const versions = saved.get(name) ?? new Map<number, SavedTime>();
    saved.set(name, versions);
    versions.set(event.version, { savedAt: event.savedAt, t: event.t });
  }
  return saved;
}

/** When each epoch of a partition began. */
function grantTimes({ events }: Evidence): Map<string, number> {
  const times = new Map<string, number>();
  for (const event of events) {
    if (event.kind === 'grant') times.set(`${event.partition}/${event.epoch}`, event.t);
  }
  return times;
}

function isDeleted(evidence: Evidence, name: string, version: number): boolean {
  return evidence.events.some(
    (event) =>
      event.kind === 'schedule.saved' &&
      `${event.tenant}/${event.name}` === name &&
      event.version === version &&
      event.deleted,
  );
}

/** The mark and the run are in one group, and name each other. */
function unmatchedRuns(evidence: Evidence): string[] {
  const problems: string[] = [];
  const heads = new Map<string, RunHead>();
  for (const { run } of evidence.runs) {
    if (!run.head.includes('"window"')) continue;
    heads.set(runKey(run.id), JSON.parse(run.head) as RunHead);
  }
  for (const group of evidence.journal) {
    for (const packed of group.facts) {
      if (packed.kind !== 'scheduleFact' || packed.fact.kind !== 'windowFired') continue;
      const { window, run: seq, schedule, planned, at } = packed.fact;
      const name = runKey({ partition: group.partition, seq });
      const head = heads.get(name);
      heads.delete(name);
      if (head === undefined) {
        problems.push(`window ${window} of ${schedule} is marked and has no run ${name}`);
        continue;
      }
      if (!isSubmittedIn(group, seq)) problems.push(`run ${name} and its mark are in two groups`);
      if (head.window?.at !== window || head.window.schedule !== schedule) {
        problems.push(`run ${name} is of another window than its mark says`);
      }
      if (at < planned && head.dueAt !== planned) {
        problems.push(`window ${window} of ${schedule} began ${planned - at} ms early`);
      }
    }
  }
  for (const name of heads.keys()) problems.push(`run ${name} is of a window without a mark`);
  return problems;
}

function isSubmittedIn({ facts }: JournalGroup, seq: number): boolean {
  return facts.some((packed) => packed.kind === 'submittedAt' && packed.run.seq === seq);
}
