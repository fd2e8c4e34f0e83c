import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { Book } from '../model/book.ts';
import type { Run } from '../model/run.ts';
import { isTerminalTask } from '../model/states.ts';
import { dumpRun } from '../testing/book-dump.ts';
import { act, actions, Life } from '../testing/random-life.ts';
import { decodeGroup } from './decode-group.ts';
import { parseDetail } from './detail.ts';
import { addRun, fold } from './fold.ts';

/** What somebody makes of one run who has its row and the journal, and no owner to ask. */
function readRun(life: Life, seq: number): Run {
  const book = new Book(0, 1);
  const run = addRun(book, life.store.submitted(seq));
  for (const { epoch, body } of life.store.groups) {
    book.epoch = epoch;
    for (const packed of decodeGroup(0, body)) {
      if (packed.kind === 'fact' && packed.fact.seq === seq) fold(book, packed.fact);
    }
  }
  return run;
}

/** Deadlines are derived from the clock, which a reader does not have. */
function withoutDeadlines(run: unknown): unknown {
  return JSON.parse(JSON.stringify(run, (key, value) => (key === 'hardAt' ? undefined : value)));
}

function lived(list: Parameters<typeof act>[1][]): Life {
  const life = new Life();
  for (const action of list) act(life, action);
  life.flush();
  return life;
}

describe('a reader who folds the facts of one run', () => {
  it('sees a live run as its owner does', () => {
    assertProperty(
      fc.property(actions, (list) => {
        const life = lived(list);
        for (const run of life.book.runs.values()) {
          expect(withoutDeadlines(dumpRun(readRun(life, run.seq)))).toEqual(
            withoutDeadlines(dumpRun(run)),
          );
        }
      }),
    );
  });

  it('sees of an ended run what the row of its end tells', () => {
    assertProperty(
      fc.property(actions, (list) => {
        const life = lived(list);
        for (const end of life.store.encoded.flatMap((group) => group.ends)) {
          const run = readRun(life, end.id.seq);
          const { tasks } = parseDetail(end.detail, end.id.ms);
          expect(tasks).toHaveLength(run.tasks.length);
          for (const [i, told] of tasks.entries()) {
            const task = run.tasks[i] as Run['tasks'][number];
            const past = task.history ?? [];
            expect(isTerminalTask(told.state)).toBe(true);
            if (isTerminalTask(task.state)) expect(told.state).toBe(task.state);
            expect(told.attempts.slice(0, past.length)).toEqual(past);
            // The attempt that ended the run is told by the end's row alone.
            expect(told.attempts).toHaveLength(task.attempts);
            expect(told.attempts.map((attempt) => attempt.number)).toEqual(
              Array.from({ length: task.attempts }, (_, n) => n + 1),
            );
          }
        }
      }),
    );
  });
});
