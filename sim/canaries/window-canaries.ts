import type { Engine, Schedule } from '@signalbox/engine';
import { type CodeCanary, canaryWorld, nth } from './canary.ts';

const SCHEDULED = { schedules: 6, minutes: 6, submitEveryMs: 5_000 } as const;
const CRASHES = { 'node.crash': 40_000 };

/** At every take-over the marks are somewhere else than the journal says. */
function movingMarks(move: (schedule: Schedule) => number) {
  return (engine: Engine): void => {
    const apply = engine.apply.bind(engine);
    engine.apply = (command, now, random) => {
      if (command.kind === 'takePartition') {
        for (const schedule of command.book.schedules.values()) {
          schedule.decidedUpTo += move(schedule);
        }
      }
      return apply(command, now, random);
    };
  };
}

/** An engine that decides as always, and forgets to write one mark down. */
function forgettingMark(isIt: () => boolean) {
  return ({ core }: Engine): void => {
    const emit = core.emit.bind(core);
    core.emit = (book, fact, run) => {
      emit(book, fact, run);
      if (fact.kind === 'windowFired' && isIt()) core.facts.pop();
    };
  };
}

/** Does something to a schedule right after a version of it was adopted. */
function afterEdit(act: (schedule: Schedule) => void) {
  return ({ core }: Engine): void => {
    const emit = core.emit.bind(core);
    core.emit = (book, fact, run) => {
      emit(book, fact, run);
      if (fact.kind !== 'scheduleSet') return;
      const schedule = book.schedules.get(`${fact.tenant}\n${fact.schedule}`);
      if (schedule !== undefined) act(schedule);
    };
  };
}

/** Drops some versions for good, as if they had never been found. */
function droppingVersions(engine: Engine): void {
  const apply = engine.apply.bind(engine);
  engine.apply = (command, now, random) => {
    const isDropped =
      command.kind === 'setSchedule' && command.spec !== null && command.version % 3 === 0;
    return isDropped ? { kind: 'done' } : apply(command, now, random);
  };
}

const EDITED = { ...SCHEDULED, schedules: 8, minutes: 8, scheduleEditMs: 8_000 } as const;

export const WINDOW_CANARIES: readonly CodeCanary[] = [
  {
    name: 'a take-over forgets the last windows and fires them again',
    caughtBy: 'C7',
    options: canaryWorld(60, CRASHES, SCHEDULED),
    sabotage: () => ({ engine: movingMarks(() => -120_000) }),
  },
  {
    name: 'a take-over begins with the windows after it',
    caughtBy: 'C7',
    options: canaryWorld(61, CRASHES, SCHEDULED),
    sabotage: () => ({ engine: movingMarks(() => 120_000) }),
  },
  {
    name: 'one mark of a window is not written down',
    caughtBy: 'C7',
    options: canaryWorld(62, {}, SCHEDULED),
    sabotage: () => ({ engine: forgettingMark(nth(5)) }),
  },
  {
    name: 'schedules are chained from their last run',
    caughtBy: 'C7',
    options: canaryWorld(63, {}, SCHEDULED),
    sabotage: () => ({
      engine: ({ core }) => {
        const emit = core.emit.bind(core);
        core.emit = (book, fact, run) => {
          emit(book, fact, run);
          if (fact.kind !== 'windowFired') return;
          const key = `${fact.tenant}\n${fact.schedule}`;
          const schedule = book.schedules.get(key);
          // The next one is counted from now: whatever lies in between is passed over.
          if (schedule !== undefined) schedule.decidedUpTo = fact.at + 95_000;
        };
      },
    }),
  },
  {
    name: 'an edit begins at its adoption and not at its saving',
    caughtBy: 'C7',
    options: canaryWorld(64, CRASHES, SCHEDULED),
    sabotage: () => ({
      engine: (engine) => {
        const apply = engine.apply.bind(engine);
        engine.apply = (command, now, random) =>
          command.kind === 'setSchedule'
            ? apply({ ...command, savedAt: now + 1 }, now, random)
            : apply(command, now, random);
      },
    }),
  },
  {
    name: 'deletions of schedules are forgotten, and old versions bring them back',
    caughtBy: 'C7',
    options: canaryWorld(68, CRASHES, { schedules: 12, minutes: 10, submitEveryMs: 8_000 }),
    sabotage: () => ({
      engine: (engine) => {
        const apply = engine.apply.bind(engine);
        engine.apply = (command, now, random) => {
          for (const book of engine.core.books.values()) book.removedSchedules.clear();
          return apply(command, now, random);
        };
      },
    }),
  },
  {
    name: 'an edit decides the windows of the time before it',
    caughtBy: 'C7',
    options: canaryWorld(69, {}, EDITED),
    sabotage: () => ({
      engine: afterEdit((schedule) => {
        schedule.earlier = null;
      }),
    }),
  },
  {
    name: 'a paused schedule goes on firing',
    caughtBy: 'C7',
    options: canaryWorld(70, {}, EDITED),
    sabotage: () => ({
      engine: afterEdit((schedule) => {
        schedule.spec = { ...schedule.spec, paused: false };
      }),
    }),
  },
  {
    name: 'an edit that excludes overlap does not know the runs that are live',
    caughtBy: 'C7',
    options: canaryWorld(71, {}, { ...EDITED, schedules: 12, workers: [1, 1] }),
    seeds: 6,
    sabotage: () => ({
      engine: afterEdit((schedule) => {
        schedule.live?.clear();
      }),
    }),
  },
  {
    name: 'versions of schedules are dropped while nobody could adopt them',
    caughtBy: 'C7',
    options: canaryWorld(72, {}, EDITED),
    sabotage: () => ({ engine: droppingVersions }),
  },
  {
    name: 'runs overlap though their schedule forbids it',
    caughtBy: 'C7',
    options: canaryWorld(65, {}, { ...SCHEDULED, schedules: 12 }),
    sabotage: () => ({
      engine: ({ core }) => {
        const emit = core.emit.bind(core);
        core.emit = (book, fact, run) => {
          emit(book, fact, run);
          if (fact.kind !== 'windowFired') return;
          for (const schedule of book.schedules.values()) schedule.live?.clear();
        };
      },
    }),
  },
];
