import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { devKey } from './dev-key.ts';

function fileWith(text: string): { folder: string; path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'key');
  writeFileSync(path, text);
  chmodSync(path, 0o644);
  return { folder, path };
}

it.each(['', 'an existing key\n'])(
  'SEC-01 only the owner can read the key, also if the file was there: %j',
  (text) => {
    const { folder, path } = fileWith(text);
    const key = devKey(folder);
    expect(readFileSync(path, 'utf8')).toBe(`${key}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(devKey(folder)).toBe(key);
  },
);
