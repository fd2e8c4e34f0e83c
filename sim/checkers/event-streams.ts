import { parseRunId } from '@signalbox/engine';
import { runKey } from '../names.ts';
import type { StreamLog, StreamMessage } from '../stream-log.ts';
import type { Checker } from './checker.ts';
import { OwedEvents } from './owed-events.ts';
import { PLACES, ToldEvents } from './told-events.ts';

type Positions = Map<number, number>;

/**
 * C21: behind an id of an event stream everything of the partitions that it names is sent once and in
 * order, over cuts, take-overs and nodes, until the stream says `reset`; and what an open stream is
 * owed when nothing fails any more has arrived at the end.
 */
export const eventStreams: Checker = {
  name: 'C21',
  promise: 'a stream misses nothing and repeats nothing, and does not fall silent',
  check: (evidence) => {
    if (evidence.streams.length === 0) return [];
    const told = new ToldEvents(evidence);
    const owed = new OwedEvents(evidence, told);
    return evidence.streams.flatMap((log) => new Follower(log, told).problems(owed));
  },
};

class Follower {
  readonly #log: StreamLog;
  readonly #told: ToldEvents;
  /** How far the stream has come. */
  #at: Positions = new Map();
  /** A state was shown that is the last one: the end is known, with or without its events. */
  #isOver = false;
  readonly #problems: string[] = [];

  constructor(log: StreamLog, told: ToldEvents) {
    this.#log = log;
    this.#told = told;
  }

  problems(owed: OwedEvents): string[] {
    for (const message of this.#log.messages) {
      if (message.kind !== 'resumed') this.#take(message);
      // Once is enough to say it; what follows is mostly the same.
      if (this.#problems.length > 0) return this.#problems;
    }
    const silence = owed.problemOf(this.#log, this.#at);
    if (silence !== null) this.#say(silence);
    return this.#problems;
  }

  #take({ id, kind, run, isOver }: StreamMessage): void {
    this.#isOver ||= isOver === true;
    if (kind === 'end') return this.#end();
    if (id === null) {
      if (kind === 'event') this.#say('an event has no id');
      return;
    }
    const positions = parse(id);
    if (kind === 'reset') {
      this.#at = positions;
      return;
    }
    const own = kind === 'event' ? (parseRunId(run ?? '')?.partition ?? -1) : -1;
    for (const [partition, to] of positions) this.#move(partition, to, partition === own);
    for (const partition of this.#at.keys()) {
      if (!positions.has(partition))
        this.#say(`partition ${partition} left the id without a reset`);
    }
  }

  #move(partition: number, to: number, isEvent: boolean): void {
    const from = this.#at.get(partition);
    this.#at.set(partition, to);
    if (from === undefined) return;
    const name = `partition ${partition} at ${place(to)} behind ${place(from)}`;
    if (to < from || (isEvent && to === from)) return this.#say(`${name} goes backwards`);
    const missed = this.#told.between(this.#log, partition, from, isEvent ? to : to + 1);
    if (missed > 0) this.#say(`${name} left out ${missed} events`);
  }

  /** A run's stream ends when all of it has been sent. */
  #end(): void {
    const { run } = this.#log;
    const from = run === null ? undefined : this.#at.get(run.partition);
    if (run === null || from === undefined || this.#isOver) return;
    const to = this.#told.endOf(runKey(run)) + 1;
    const missed = this.#told.between(this.#log, run.partition, from, to);
    if (missed > 0) this.#say(`it ended ${missed} events before its run did`);
  }

  #say(problem: string): void {
    const { watcher, run, tenant } = this.#log;
    const of = run === null ? tenant : `run ${runKey(run)}`;
    this.#problems.push(`the stream of ${of} to ${watcher}: ${problem}`);
  }
}

function place(at: number): string {
  return `${Math.floor(at / PLACES)}.${at % PLACES}`;
}

/** `partition.seq.index`, joined by `-`, in base 36; a run's stream adds the time of its last line. */
function parse(id: string): Positions {
  const [positions = ''] = id.split('~');
  return new Map(
    positions
      .split('-')
      .filter((each) => each !== '')
      .map((each) => {
        const [partition = 0, seq = 0, index] = each.split('.').map((n) => Number.parseInt(n, 36));
        return [partition, seq * PLACES + (index ?? PLACES - 1)];
      }),
  );
}
