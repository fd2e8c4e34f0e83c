import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');
export const cacheDir = join(root, '.cache');

const skipped = new Set(['node_modules', 'dist', 'coverage', 'fixtures']);

/** Every file below `folder` as a path relative to `base`, sorted; installed, built and fixture files are left out. */
export function listFiles(folder: string, base: string = root): string[] {
  const found: string[] = [];
  const visit = (relative: string): void => {
    for (const entry of readdirSync(join(base, relative), { withFileTypes: true })) {
      const path = relative === '' ? entry.name : `${relative}/${entry.name}`;
      if (entry.name.startsWith('.') && entry.name !== '.ci') continue;
      if (entry.isDirectory() && !skipped.has(entry.name)) visit(path);
      if (entry.isFile()) found.push(path);
    }
  };
  visit(folder);
  return found.sort();
}
