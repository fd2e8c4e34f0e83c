import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, it, onTestFinished } from 'vitest';
import {
  contentsOf,
  expectUsable,
  fillGoldenStore,
  readGolden,
  WRITES_GOLDEN,
  writeGolden,
} from '../testing/golden-store.ts';
import { createSqliteStore } from './index.ts';
import { MIGRATIONS } from './migrations/all-migrations.ts';
import { temporaryFile } from './testing/temporary-file.ts';

/** The clock of the store that wrote the first golden file; later than its runs, so that segments are past. */
const NOW_MS = 1_700_200_000_000;

async function write(version: number): Promise<void> {
  const file = temporaryFile();
  const store = await createSqliteStore({ path: file.path, now: () => NOW_MS });
  await store.migrate();
  await fillGoldenStore(store);
  const contents = JSON.stringify(await contentsOf(store), null, 1);
  await store.close();
  writeGolden(`sqlite-${version}.db.gz`, gzipSync(readFileSync(file.path)));
  writeGolden(`sqlite-${version}.json`, `${contents}\n`);
  file.remove();
}

if (WRITES_GOLDEN) await write(MIGRATIONS.length);

describe('golden SQLite files', () => {
  it.each(MIGRATIONS.map((_, i) => i + 1))(
    'DUR-23 of schema %i are read, and new rows are written beside the old ones',
    async (version) => {
      const file = temporaryFile();
      onTestFinished(() => file.remove());
      writeFileSync(file.path, gunzipSync(readGolden(`sqlite-${version}.db.gz`)));
      const store = await createSqliteStore({ path: file.path, now: () => NOW_MS + 60_000 });
      onTestFinished(() => store.close());
      await store.migrate();
      await expectUsable(store, JSON.parse(readGolden(`sqlite-${version}.json`).toString()));
    },
  );
});
