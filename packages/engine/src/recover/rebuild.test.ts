import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { Engine } from '../engine.ts';
import type { Book } from '../model/book.ts';
import { dumpBook } from '../testing/book-dump.ts';
import type { SavedCheckpoint } from '../testing/fake-store.ts';
import { act, actions, Life } from '../testing/random-life.ts';

/** What the next owner would have in its hands: rebuilt, and taken over. */
function nextOwner(life: Life, checkpoint: SavedCheckpoint | null): Book {
  const book = life.store.rebuild(life.epoch + 1, checkpoint);
  const engine = new Engine(life.engine.core.settings);
  engine.apply({ kind: 'takePartition', book }, life.now, life.random);
  expect(engine.take(1).facts).toEqual([]);
  return book;
}

describe('a rebuilt book', () => {
  it('equals the live one after anything, from the facts alone', () => {
    assertProperty(
      fc.property(actions, (list) => {
        const life = new Life();
        for (const action of list) act(life, action);
        life.flush();
        expect(dumpBook(nextOwner(life, null))).toEqual(dumpBook(life.book));
      }),
      { numRuns: 150 },
    );
  });

  it('equals the live one from a checkpoint at any border and the groups after it', () => {
    assertProperty(
      fc.property(actions, actions, (before, after) => {
        const life = new Life();
        for (const action of before) act(life, action);
        const checkpoint = life.saveCheckpoint();
        for (const action of after) act(life, action);
        life.flush();
        expect(dumpBook(nextOwner(life, checkpoint))).toEqual(dumpBook(life.book));
      }),
      { numRuns: 150 },
    );
  });
});
