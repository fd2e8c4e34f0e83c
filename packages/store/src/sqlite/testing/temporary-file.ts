import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A path in a folder of its own: SQLite puts its log and its index beside the file. */
export function temporaryFile(): { readonly path: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-sqlite-'));
  return {
    path: join(folder, 'store.sqlite'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
