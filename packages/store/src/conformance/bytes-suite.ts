import { describe, expect, it } from 'vitest';
import { COMMIT_BYTES_MAX } from '../validate-commit.ts';
import { bytes, endRow, inboxEntry, part, runRow } from './builders.ts';
import type { ConformanceTarget } from './target.ts';
import { openWorld } from './world.ts';

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, i) => i);
const MEGABYTE = Uint8Array.from({ length: 2 ** 20 }, (_, i) => (i * 31 + (i >> 8)) & 255);

const SAMPLES: Record<string, Uint8Array> = {
  empty: new Uint8Array(0),
  'every value': EVERY_BYTE,
  'one megabyte': MEGABYTE,
  'a view into a larger array': MEGABYTE.subarray(1_001, 2_002),
  'a Buffer': Buffer.from('signalbox'),
};

export function bytesSuite(target: ConformanceTarget): void {
  describe('bytes', () => {
    it.each(Object.keys(SAMPLES))('come back as they were given: %s', async (name) => {
      const world = await openWorld(target);
      const { store, baseMs } = world;
      const given = SAMPLES[name] as Uint8Array;
      const expected = Uint8Array.from(given);
      const owner = await world.own(1);
      const run = runRow({ ms: baseMs, partition: 1, seq: 1 }, { input: given });
      await owner.commit({ body: given, runs: [run], ends: [endRow(run, { output: given })] });
      await store.putInbox(inboxEntry('alias-1', { input: given }));
      const { partition, epoch, lastSeq: seq } = owner;
      await store.writeCheckpoint({ partition, epoch, seq, chunks: [given, bytes('x'), given] });

      const [group] = await store.readGroups({ partition: 1, afterSeq: seq - 1, limit: 1 });
      expect(isSame(group?.body, expected)).toBe(true);
      const stored = await store.getRun({ tenant: 'acme', id: run.id });
      expect(isSame(stored?.run.input, expected)).toBe(true);
      expect(isSame(stored?.end?.output, expected)).toBe(true);
      const ids = [{ tenant: 'acme', id: run.id }];
      const [row] = await store.readRuns({ ids, withInput: true });
      expect(isSame(row?.input, expected)).toBe(true);
      const [entry] = await store.readInbox({ partitions: [1], limit: 1 });
      expect(isSame(entry?.input, expected)).toBe(true);
      const checkpoint = await store.readCheckpoint(1);
      expect(checkpoint?.chunks).toHaveLength(3);
      expect(isSame(checkpoint?.chunks[0], expected)).toBe(true);
      expect(isSame(checkpoint?.chunks[2], expected)).toBe(true);
    });

    it('that are null stay apart from empty ones', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const runs = [null, new Uint8Array(0)].map((input, i) =>
        runRow({ ms: world.baseMs, partition: 1, seq: i + 1 }, { input }),
      );
      const ends = runs.map((run) => endRow(run, { output: run.input }));
      await owner.commit({ runs, ends });
      const listed = await world.store.listRuns({ tenant: 'acme', before: null, limit: 9 });
      expect(listed.map(({ run, end }) => [run.input, end?.output])).toEqual([
        [new Uint8Array(0), new Uint8Array(0)],
        [null, null],
      ]);
    });

    it('are left out of a list where it is made without them', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      // Some may share a row, one does not; the last has not ended.
      const runs = [3, 3, 3, 9_000, 3].map((size, i) =>
        runRow({ ms: world.baseMs, partition: 1, seq: i + 1 }, { input: new Uint8Array(size) }),
      );
      const ends = runs.slice(0, 4).map((run) => endRow(run, { output: run.input }));
      await owner.commit({ runs, ends });
      const query = { tenant: 'acme', before: null, limit: 9 };
      const whole = await world.store.listRuns(query);
      expect(whole).toHaveLength(5);
      expect(await world.store.listRuns({ ...query, withPayloads: false })).toEqual(
        whole.map(({ run, end }) => ({
          run: { ...run, input: null },
          end: end && { ...end, output: null },
        })),
      );
    });

    it('beyond what one commit may have are refused for good, in inputs and outputs alike', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const { partition, epoch, lastSeq } = owner;
      // One array many times: it is weighed, not copied.
      const large = new Uint8Array(COMMIT_BYTES_MAX / 8);
      const runs = Array.from({ length: 9 }, (_, i) =>
        runRow({ ms: world.baseMs, partition: 1, seq: i + 1 }, { input: large }),
      );
      const bare = runs.map((run) => ({ ...run, input: null }));
      const ends = bare.map((run) => endRow(run, { output: large }));
      for (const rows of [{ runs }, { runs: bare, ends }]) {
        const parts = [part({ partition, epoch, seq: lastSeq + 1, ...rows })];
        await expect(world.store.append({ commitId: 'large', parts })).rejects.toMatchObject({
          name: 'StoreError',
          kind: 'invalid',
        });
      }
      expect(await world.store.readGroup({ partition, seq: lastSeq + 1 })).toBeNull();
    });

    it('and rows given or read are the caller’s own: changing them changes nothing', async () => {
      const world = await openWorld(target);
      const owner = await world.own(1);
      const keys = ['k'];
      const run = { ...runRow({ ms: world.baseMs, partition: 1, seq: 1 }), keys };
      await owner.commit({ runs: [run] });
      keys.push('later');
      run.job = 'changed';
      const read = await world.store.getRun({ tenant: 'acme', id: run.id });
      expect(read?.run).toMatchObject({ job: 'report', keys: ['k'] });
      read?.run.input?.fill(0);
      const again = await world.store.getRun({ tenant: 'acme', id: run.id });
      expect(again?.run.input).toEqual(bytes('input 1'));
    });
  });
}

/** A plain comparison of a megabyte prints a megabyte when it fails. */
function isSame(actual: Uint8Array | null | undefined, expected: Uint8Array): boolean {
  return actual != null && Buffer.compare(actual, expected) === 0;
}
