import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { Book } from '../model/book.ts';
import { dumpBook } from '../testing/book-dump.ts';
import { act, actions, Life } from '../testing/random-life.ts';
import { Recorded } from '../testing/recorded.ts';
import { checkpointSpecs, decodeCheckpoint, encodeCheckpoint } from './checkpoint.ts';

const find = (h: Recorded) => (tenant: string, job: string, version: number) =>
  h.store.findSpec(tenant, job, version);

describe('a checkpoint', () => {
  it('gives back the very book that it was made of', () => {
    assertProperty(
      fc.property(actions, (list) => {
        const life = new Life();
        for (const action of list) act(life, action);
        life.flush();
        const book = new Book(0, life.epoch);
        decodeCheckpoint(book, encodeCheckpoint(life.book), find(life));
        expect(dumpBook(book)).toEqual(dumpBook(life.book));
      }),
    );
  });

  it('names every job version that is needed to read it, once', () => {
    const h = new Recorded();
    const specs = [1, 2].map((version) => h.submit({ job: 'a', version }).spec);
    for (const spec of specs) h.submit({ spec });
    h.submit({ job: 'b', tenant: 'zoë' });
    expect(checkpointSpecs(encodeCheckpoint(h.book))).toEqual([
      { tenant: 'acme', job: 'a', version: 1 },
      { tenant: 'acme', job: 'a', version: 2 },
      { tenant: 'zoë', job: 'b', version: 1 },
    ]);
  });

  it('of a large book is cut into chunks and read back whole', () => {
    const h = new Recorded({ settings: { queueWindow: 100_000 } });
    const spec = h.submit().spec;
    const reason = 'x'.repeat(500);
    for (let i = 0; i < 3_000; i++) h.submit({ spec, head: { trigger: { kind: reason } } });
    h.flush();
    const chunks = encodeCheckpoint(h.book);
    expect(chunks.length).toBeGreaterThan(2);
    const book = new Book(0, 1);
    decodeCheckpoint(book, chunks, find(h));
    expect(book.runs.size).toBe(3_001);
    expect(dumpBook(book)).toEqual(dumpBook(h.book));
  });

  it('of a backlog is a few bytes for each run that waits', () => {
    const h = new Recorded({ settings: { queueWindow: 100_000 } });
    const spec = h.submit().spec;
    for (let i = 1; i < 10_000; i++) h.submit({ spec });
    const bytes = encodeCheckpoint(h.book).reduce((sum, chunk) => sum + chunk.length, 0);
    expect(bytes / 10_000).toBeLessThan(40);
  });

  it('of another format is refused instead of being guessed at', () => {
    const chunk = new Uint8Array(Buffer.from('[5,1,0,1,[],[]]\n'));
    expect(() => decodeCheckpoint(new Book(0, 1), [chunk], () => never())).toThrow('format 5');
  });

  it('is nothing where there is none', () => {
    const book = new Book(0, 1);
    decodeCheckpoint(book, [], () => never());
    expect(dumpBook(book)).toEqual(dumpBook(new Book(0, 1)));
    expect(checkpointSpecs([])).toEqual([]);
  });
});

function never(): never {
  throw new Error('no job is asked for');
}
