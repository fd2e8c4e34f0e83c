import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts') ? [path] : [];
  });
}

describe('the invariants', () => {
  it('that the code enforces are the ones that the architecture page lists', () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    const listed = new Set([...page.matchAll(/^\| (I\d+) \|/gm)].map((match) => match[1]));
    expect(listed.size).toBeGreaterThan(0);
    const enforced = sources(join(root, 'packages/engine/src')).flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      return [...text.matchAll(/invariant\([^;]*?'(I\d+)'/g)].map((match) => match[1]);
    });
    expect(enforced.length).toBeGreaterThan(5);
    expect([...new Set(enforced)].filter((id) => !listed.has(id))).toEqual([]);
  });

  it('name files that exist', () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    const rows = page.split('\n').filter((line) => /^\| I\d+ \|/.test(line));
    const files = sources(join(root, 'packages'));
    for (const row of rows) {
      for (const [, name] of row.matchAll(/`((?:node\/)?[a-z-]+\/[a-z-]+(?:\/[a-z-]+)*\.ts)`/g)) {
        const path = name?.replace(/^node\/loop/, 'node/src/loop') ?? '';
        expect(
          files.some((file) => file.endsWith(`/${path}`)),
          name,
        ).toBe(true);
      }
    }
  });
});
