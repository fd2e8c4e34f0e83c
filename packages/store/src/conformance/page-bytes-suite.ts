import type { RunId } from '@signalbox/engine';
import { describe, expect, it } from 'vitest';
import type { DefinitionCursor } from '../definition.ts';
import {
  auditRowBytes,
  definitionBytes,
  logLineBytes,
  mayContinue,
  storedRunBytes,
} from '../page-bytes.ts';
import { auditEntry, endRow, logLine, runRow } from './builders.ts';
import type { ConformanceTarget } from './target.ts';
import { openWorld, type World } from './world.ts';

/** Of each item; the third is larger than a page may be. A letter has two bytes, and a face four. */
const TEXTS = ['ä'.repeat(50), '😀'.repeat(10), 'x'.repeat(400), '', 'ä'.repeat(30), 'ö', 'x'];
const LIMITS = { limit: 5, bytes: 150 };
/** Where pages of these texts end: 100 + 40 + 400 reach 150, 0 + 60 + 2 + 1 do not. */
const PAGES = [3, 4];

interface Listed<Item> {
  /** Puts one item for each text in the order in which it is read. */
  fill(world: World): Promise<void>;
  read(world: World, after: Item | null, page: { limit: number; bytes: number }): Promise<Item[]>;
  bytesOf(item: Item): number;
}

/** Every list that carries texts or bytes of a user can be cut by what it weighs, at the same row. */
export function pageBytesSuite(target: ConformanceTarget): void {
  describe('pages in bytes', () => {
    suite(
      target,
      'listRuns by details',
      listedRuns((world, i) => ({
        run: runRow(idOf(world, i), { head: '' }),
        detail: TEXTS.at(-1 - i) as string,
      })),
    );
    suite(
      target,
      'listRuns by heads',
      listedRuns((world, i) => ({
        run: runRow(idOf(world, i), { head: TEXTS.at(-1 - i) as string }),
        detail: '',
      })),
    );
    suite(target, 'listDefinitions', {
      fill: ({ store }) => inOrder((body, i) => store.putDefinition(definition(`job-${i}`, body))),
      read: ({ store }, after, page) =>
        store.listDefinitions({ ...SCOPE, after: after?.name ?? null, ...page }),
      bytesOf: definitionBytes,
    });
    suite(target, 'listDefinitionVersions', {
      fill: ({ store }) => inOrder((body, i) => store.putDefinition(definition('report', body, i))),
      read: ({ store }, after, page) =>
        store.listDefinitionVersions({
          ...{ ...SCOPE, name: 'report', after: after?.version ?? 0 },
          ...page,
        }),
      bytesOf: definitionBytes,
    });
    suite(target, 'listDefinitionChanges', {
      fill: ({ store }) => inOrder((body, i) => store.putDefinition(definition(`job-${i}`, body))),
      read: ({ store }, after, page) =>
        store.listDefinitionChanges({ kind: 'job', after: after ?? BEFORE_ALL, ...page }),
      bytesOf: definitionBytes,
    });
    suite(target, 'readLogs', {
      fill: (world) =>
        world.store.appendLogs(
          TEXTS.map((text, number) => logLine(idOf(world, 0), { number, text })),
        ),
      read: (world, after, page) =>
        world.store.readLogs({ tenant: 'acme', run: idOf(world, 0), after, ...page }),
      bytesOf: logLineBytes,
    });
    suite(target, 'readAudit', {
      fill: ({ store }) =>
        inOrder((after) =>
          store.appendAudit(auditEntry({ target: '', reason: '', before: null, after })),
        ),
      read: ({ store }, after, page) =>
        store.readAudit({ tenant: 'acme', after: after?.number ?? 0, ...page }),
      bytesOf: auditRowBytes,
    });

    it('hold inputs and outputs of a list of runs, and leave out what is not asked for', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const input = new Uint8Array(100);
      const runs = TEXTS.map((_, i) => runRow(idOf(world, i), { head: '', input }));
      const ends = runs.map((run) => endRow(run, { detail: '', output: new Uint8Array(50) }));
      await owner.commit({ runs, ends });
      const count = async (page: { bytes: number; withPayloads?: boolean }) =>
        (await world.store.listRuns({ tenant: 'acme', before: null, limit: 99, ...page })).length;
      expect(await count({ bytes: 0 })).toBe(1);
      expect(await count({ bytes: 150 })).toBe(1);
      expect(await count({ bytes: 151 })).toBe(2);
      expect(await count({ bytes: 450 })).toBe(3);
      expect(await count({ bytes: 1, withPayloads: false })).toBe(TEXTS.length);
    });

    it('end among consecutive runs that share rows where they would without', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const runs = Array.from({ length: 100 }, (_, i) =>
        runRow(
          { ms: world.baseMs, partition: 1, seq: i + 1 },
          { head: 'x'.repeat(10), input: new Uint8Array(i % 7) },
        ),
      );
      const ends = runs.map((run, i) =>
        endRow(run, { detail: 'y'.repeat(i % 5), output: new Uint8Array(i % 3) }),
      );
      await owner.commit({ runs });
      await owner.commit({ ends: ends.filter((_, i) => i % 11 !== 0) });
      for (const [bytes, ended] of [[1], [137], [137, true], [500, true], [500, false]] as const) {
        const query = { tenant: 'acme', limit: 60, ...(ended === undefined ? {} : { ended }) };
        const seen: number[] = [];
        for (let before: RunId | null = null; ; ) {
          const page = await world.store.listRuns({ ...query, before, bytes });
          if (page.length === 0) break;
          const weight = page.slice(0, -1).reduce((sum, row) => sum + storedRunBytes(row), 0);
          expect(weight).toBeLessThan(bytes);
          const isCut = mayContinue(page, { limit: 60, bytes }, storedRunBytes);
          const isLast = page.at(-1)?.run.id.seq === (ended === true ? 2 : 1);
          expect(isCut || isLast).toBe(true);
          seen.push(...page.map(({ run }) => run.id.seq));
          before = page.at(-1)?.run.id as RunId;
        }
        const expected = runs.filter((_, i) => ended === undefined || (i % 11 !== 0) === ended);
        expect(seen).toEqual(expected.map(({ id }) => id.seq).reverse());
      }
    });
  });
}

function suite<Item>(target: ConformanceTarget, name: string, listed: Listed<Item>): void {
  it(`end ${name} with the item that reaches them, and go on behind it`, async () => {
    const world = await openWorld(target);
    await listed.fill(world);
    const all = await listed.read(world, null, { limit: 99, bytes: 1_000_000 });
    expect(all.map(listed.bytesOf)).toEqual([100, 40, 400, 0, 60, 2, 1]);
    const pages: Item[][] = [];
    for (let after: Item | null = null; ; after = pages.at(-1)?.at(-1) as Item) {
      const page = await listed.read(world, after, LIMITS);
      pages.push(page);
      if (!mayContinue(page, LIMITS, listed.bytesOf)) break;
    }
    expect(pages.map((page) => page.length)).toEqual(PAGES);
    expect(pages.flat()).toEqual(all);
    expect(await listed.read(world, null, { limit: 99, bytes: 0 })).toEqual(all.slice(0, 1));
    expect(await listed.read(world, null, { limit: 99, bytes: 100 })).toEqual(all.slice(0, 1));
    expect(await listed.read(world, null, { limit: 99, bytes: 101 })).toEqual(all.slice(0, 2));
  });
}

const SCOPE = { tenant: 'acme', kind: 'job' };
const BEFORE_ALL: DefinitionCursor = { atMs: 0, tenant: '', name: '', version: 0 };

function definition(name: string, body: string, expectedVersion = 0) {
  return { ...SCOPE, name, body, expectedVersion, author: 'ann' };
}

function idOf({ baseMs }: World, i: number): RunId {
  return { ms: baseMs + i, partition: 1, seq: i + 1 };
}

async function inOrder(put: (text: string, i: number) => Promise<unknown>): Promise<void> {
  for (const [i, text] of TEXTS.entries()) await put(text, i);
}

/** Oldest first, as they are committed; a list has the newest first. */
function listedRuns(
  make: (world: World, i: number) => { run: ReturnType<typeof runRow>; detail: string },
): Listed<Awaited<ReturnType<World['store']['listRuns']>>[number]> {
  return {
    fill: async (world) => {
      const made = TEXTS.map((_, i) => make(world, i));
      const ends = made.map(({ run, detail }) => endRow(run, { detail }));
      await (await world.own(1)).commit({ runs: made.map(({ run }) => run), ends });
    },
    read: ({ store }, after, page) =>
      store.listRuns({
        ...{ tenant: 'acme', before: after?.run.id ?? null, withPayloads: false },
        ...page,
      }),
    bytesOf: storedRunBytes,
  };
}
