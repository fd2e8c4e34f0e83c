import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { withLock } from './lock.mjs';

const dir = mkdtempSync(join(tmpdir(), 'signalbox-lock-'));
const file = join(dir, 'lock');
afterEach(() => rmSync(file, { force: true }));
afterAll(() => rmSync(dir, { recursive: true }));

it('lets one in at a time', async () => {
  const order: string[] = [];
  const use = (name: string): Promise<void> =>
    withLock(file, async () => {
      order.push(`${name} in`);
      await Promise.resolve();
      order.push(`${name} out`);
    });
  await Promise.all([use('a'), use('b')]);
  expect(order).toEqual(['a in', 'a out', 'b in', 'b out']);
});

it('is given up when its work fails', async () => {
  const failing = withLock(file, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  await expect(withLock(file, () => 'free')).resolves.toBe('free');
});

it('is taken over from a process that is gone', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(file, `${pid}`);
  await expect(withLock(file, () => 'free')).resolves.toBe('free');
});
