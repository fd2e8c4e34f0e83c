import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import type { Book } from '../model/book.ts';
import { dumpBook } from '../testing/book-dump.ts';
import { act, actions, Life } from '../testing/random-life.ts';
import { encodeCheckpoint, type FindSpec } from './checkpoint.ts';
import { planRebuild, rebuild } from './rebuild.ts';

interface Readable {
  row(seq: number): boolean;
  spec(): boolean;
}
const ALL: Readable = { row: () => true, spec: () => true };

/** A take-over that can read only some rows and job versions. */
function takeOver(
  life: Life,
  { chunks, from }: { chunks: readonly Uint8Array[]; from: number },
  readable: Readable,
): Book {
  const { store } = life;
  const plan = planRebuild({ partition: 0, chunks, tail: store.groups.slice(from) });
  const rows = new Map(
    plan.needed
      .filter(({ seq }) => readable.row(seq))
      .map(({ seq }) => [seq, store.submitted(seq)]),
  );
  const findSpec: FindSpec = (tenant, job, version) =>
    readable.spec() ? store.findSpec(tenant, job, version) : null;
  return rebuild(plan, { epoch: life.epoch + 1, rows, findSpec });
}

describe('a run that cannot be read', () => {
  it('is set aside alone, and continues when its row can be read again', () => {
    assertProperty(
      fc.property(actions, fc.nat(3), (list, lost) => {
        const life = new Life();
        for (const action of list) act(life, action);
        life.flush();
        const readable = { ...ALL, row: (seq: number) => seq % 4 !== lost };
        const whole = takeOver(life, { chunks: [], from: 0 }, ALL);
        const damaged = takeOver(life, { chunks: [], from: 0 }, readable);
        const expected = [...whole.runs.keys()].filter((seq) => readable.row(seq));
        expect([...damaged.runs.keys()]).toEqual(expected);
        expect(damaged.aside.size).toBe(whole.runs.size - expected.length);
        // Also over a checkpoint, which passes the facts that tell of the run.
        const saved = { chunks: encodeCheckpoint(damaged), from: life.store.groups.length };
        const still = takeOver(life, saved, readable);
        expect([...still.aside.keys()]).toEqual([...damaged.aside.keys()]);
        const repaired = takeOver(life, saved, ALL);
        expect(repaired.aside.size).toBe(0);
        expect(dumpBook(repaired)).toEqual(dumpBook(whole));
      }),
      { numRuns: 60 },
    );
  });

  it('is set aside with its line in the checkpoint where its job version cannot be read', () => {
    assertProperty(
      fc.property(actions, actions, (before, after) => {
        const life = new Life();
        for (const action of before) act(life, action);
        const { chunks, groupCount: from } = life.saveCheckpoint();
        for (const action of after) act(life, action);
        life.flush();
        const saved = { chunks, from };
        const whole = takeOver(life, saved, ALL);
        const damaged = takeOver(life, saved, { row: () => false, spec: () => false });
        expect(damaged.runs.size).toBe(0);
        expect(damaged.aside.size).toBe(whole.runs.size);
        const next = { chunks: encodeCheckpoint(damaged), from: life.store.groups.length };
        expect(dumpBook(takeOver(life, next, ALL))).toEqual(dumpBook(whole));
      }),
      { numRuns: 60 },
    );
  });
});
