import { type LogLineRow, StoreError } from '@signalbox/store';
import { createMemoryStore } from '@signalbox/store/memory';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { LINE_CHARACTERS_MAX } from './clean-text.ts';
import { WriteBehindLogs, type WriteBehindLogsParams } from './write-behind-logs.ts';

const run = { ms: 1_800_000_000_000, partition: 0, seq: 1 };
const of = { tenant: 'acme', run, task: 0, attempt: 1, stream: 'stdout' } as const;
const log = pino({ level: 'silent' });

function logsOn(
  appendLogs: (lines: readonly LogLineRow[]) => Promise<void>,
  more: Partial<WriteBehindLogsParams> = {},
): WriteBehindLogs {
  return new WriteBehindLogs({ store: { appendLogs }, now: () => 5, log, ...more });
}

/** A store that answers only when told to. */
function slowStore() {
  const stored: LogLineRow[] = [];
  const open: (() => void)[] = [];
  const appendLogs = (lines: readonly LogLineRow[]) =>
    new Promise<void>((resolve) => {
      open.push(() => {
        stored.push(...lines);
        resolve();
      });
    });
  return { stored, appendLogs, open };
}

describe('task logs', () => {
  it('are written in batches, in order, and read back from the store', async () => {
    const store = createMemoryStore({ now: () => run.ms });
    await store.ensureSegments({ untilMs: run.ms + 1_000 });
    const logs = new WriteBehindLogs({ store, now: () => 5, log, batchMax: 3 });
    for (let number = 0; number < 10; number++) logs.append({ ...of, number, text: `l${number}` });
    await logs.flush();
    const lines = await store.readLogs({ tenant: 'acme', run, after: null, limit: 100 });
    expect(lines.map((line) => line.text)).toEqual(Array.from({ length: 10 }, (_, i) => `l${i}`));
    expect(lines[0]).toMatchObject({ ...of, number: 0, atMs: 5 });
    await logs.stop();
  });

  it('go out by themselves', async () => {
    const written = new Promise<readonly LogLineRow[]>((resolve) => {
      const logs = logsOn(async (lines) => resolve(lines), { delayMs: 1 });
      logs.append({ ...of, number: 1, text: 'x' });
    });
    expect(await written).toHaveLength(1);
  });

  it('are made fit for every store: NUL, lone surrogates, endless lines', async () => {
    const stored: LogLineRow[] = [];
    const logs = logsOn(async (lines) => void stored.push(...lines));
    logs.append({ ...of, number: 0, text: 'a\u0000b\ud800c' });
    logs.append({ ...of, number: 1, text: '😀'.repeat(LINE_CHARACTERS_MAX) });
    logs.append({ ...of, number: 2, text: `a${'😀'.repeat(LINE_CHARACTERS_MAX)}` });
    await logs.flush();
    expect(stored[0]?.text).toBe('a\uFFFDb\uFFFDc');
    for (const line of stored) {
      expect(line.text.isWellFormed()).toBe(true);
      expect(line.text.length).toBeLessThan(LINE_CHARACTERS_MAX + 20);
    }
    expect(stored[1]?.text.endsWith('(cut)')).toBe(true);
  });

  it('drop lines while the store is slow, say how many, and never keep more than they may', async () => {
    const { stored, appendLogs, open } = slowStore();
    const logs = logsOn(appendLogs, { linesMax: 10, batchMax: 100, delayMs: 1 });
    for (let number = 0; number < 5; number++) logs.append({ ...of, number, text: 'early' });
    const flushed = logs.flush();
    expect(open).toHaveLength(1);
    for (let number = 5; number < 100; number++) logs.append({ ...of, number, text: 'flood' });
    expect(logs.droppedLines).toBe(90);
    while (open.length > 0) {
      open.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await flushed;
    expect(stored).toHaveLength(11);
    expect(stored.at(-1)).toMatchObject({ stream: 'log', number: 10, attempt: 1 });
    expect(stored.at(-1)?.text).toMatch(/^90 log line/);
    await logs.stop();
  });

  it('are flushed although another task goes on printing', async () => {
    let number = 0;
    const print = (): void => logs.append({ ...of, tenant: 'noisy', number: number++, text: 'x' });
    let writes = 0;
    // Whenever the store takes a batch, more than a batch has been printed.
    const logs: WriteBehindLogs = logsOn(
      async () => {
        writes++;
        for (let i = 0; i < 8; i++) print();
        await new Promise((resolve) => setImmediate(resolve));
        if (writes > 20) throw new StoreError('unavailable', 'the flush did not end');
      },
      { batchMax: 4 },
    );
    for (let i = 0; i < 10; i++) print();
    await logs.flush();
    // Three batches of what was there, and perhaps the next has begun.
    expect(writes).toBeLessThanOrEqual(4);
  });

  it('of a tenant that prints without end make room for those of the others', async () => {
    const { stored, appendLogs, open } = slowStore();
    const logs = logsOn(appendLogs, { linesMax: 100, batchMax: 50, delayMs: 1 });
    let number = 0;
    const flood = (count: number): void => {
      for (let i = 0; i < count; i++) {
        logs.append({ ...of, tenant: 'noisy', number: number++, text: 'flood' });
      }
    };
    flood(1_000);
    const flushed = logs.flush();
    flood(1_000);
    const quiet = { ...of, run: { ...run, seq: 2 } };
    for (let i = 0; i < 30; i++) logs.append({ ...quiet, number: i, text: 'quiet' });
    flood(1_000);
    while (open.length > 0) {
      open.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
      // Half of the second batch at least is of the tenant that came later.
      const quietCount = stored.filter(({ tenant }) => tenant === 'acme').length;
      if (stored.length >= 100) expect(quietCount).toBeGreaterThanOrEqual(25);
    }
    await flushed;
    expect(stored.filter(({ text }) => text === 'quiet').map((line) => line.number)).toEqual(
      Array.from({ length: 30 }, (_, i) => i),
    );
    const noisy = stored.filter(({ tenant }) => tenant === 'noisy');
    expect(noisy.filter(({ text }) => text === 'flood')).toHaveLength(70);
    // One notice for the whole gap, at its first line.
    expect(noisy.at(-1)).toMatchObject({ stream: 'log', number: 70 });
    expect(logs.droppedLines).toBe(2_930);
    await logs.stop();
  });

  it('of one tenant make room also where the size is the limit', () => {
    const { appendLogs } = slowStore();
    const logs = logsOn(appendLogs, { charactersMax: 1_000 });
    for (let number = 0; number < 30; number++) {
      logs.append({ ...of, tenant: 'noisy', number, text: 'x'.repeat(100) });
    }
    expect(logs.droppedLines).toBe(20);
    logs.append({ ...of, number: 0, text: 'y'.repeat(250) });
    expect(logs.droppedLines).toBe(23);
  });

  it('that no store takes cost no line beside them', async () => {
    const stored: LogLineRow[] = [];
    const logs = logsOn(async (lines) => {
      if (lines.some((line) => line.text === 'bad')) throw new StoreError('invalid', 'bad');
      stored.push(...lines);
    });
    for (let number = 0; number < 20; number++) {
      logs.append({ ...of, number, text: number === 13 ? 'bad' : 'good' });
    }
    await logs.flush();
    expect(stored).toHaveLength(19);
    expect(logs.droppedLines).toBe(1);
  });

  it('bound what waits by its size too', () => {
    const { appendLogs } = slowStore();
    const logs = logsOn(appendLogs, { charactersMax: 100 });
    for (let number = 0; number < 10; number++) {
      logs.append({ ...of, number, text: 'x'.repeat(30) });
    }
    expect(logs.droppedLines).toBe(7);
  });

  it('come again after the store was away', async () => {
    let away = true;
    const stored: LogLineRow[] = [];
    const again = Promise.withResolvers<void>();
    const logs = logsOn(
      async (lines) => {
        if (away) throw new StoreError('unavailable', 'away');
        stored.push(...lines);
        again.resolve();
      },
      { retryMs: 1 },
    );
    logs.append({ ...of, number: 1, text: 'x' });
    await logs.flush();
    expect(stored).toEqual([]);
    away = false;
    await again.promise;
    expect(stored).toHaveLength(1);
    expect(logs.droppedLines).toBe(0);
  });

  it('do not let a batch that the store never takes hold up the others', async () => {
    const stored: LogLineRow[] = [];
    const logs = logsOn(async (lines) => {
      if (lines.some((line) => line.text === 'bad')) throw new StoreError('invalid', 'bad');
      stored.push(...lines);
    });
    logs.append({ ...of, number: 1, text: 'bad' });
    await logs.flush();
    logs.append({ ...of, number: 2, text: 'good' });
    await logs.flush();
    expect(stored.map((line) => line.text)).toContain('good');
    expect(logs.droppedLines).toBe(1);
  });

  it('are told to whoever watches, as they come; one that fails does not harm the rest', () => {
    const logs = logsOn(async () => {});
    const seen: string[] = [];
    logs.onLine(() => {
      throw new Error('watcher');
    });
    const stop = logs.onLine((line) => seen.push(line.text));
    logs.append({ ...of, number: 1, text: 'one' });
    stop();
    logs.append({ ...of, number: 2, text: 'two' });
    expect(seen).toEqual(['one']);
  });
});
