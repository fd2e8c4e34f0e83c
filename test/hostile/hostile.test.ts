import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, describePostgres } from '../../tools/testing/postgres.ts';
import { HostileWorld, type Row } from './hostile-world.ts';
import { ACCESS } from './rows/access.ts';
import { BODIES } from './rows/bodies.ts';
import { LINKS } from './rows/links.ts';
import { TARGETS } from './rows/targets.ts';
import { TENANTS } from './rows/tenants.ts';
import { TEXTS } from './rows/texts.ts';

const ROWS: readonly Row[] = [...ACCESS, ...TENANTS, ...BODIES, ...TEXTS, ...TARGETS, ...LINKS];

/** Every row of the table of hostile inputs: h01, h03 and so on to h77. */
const IDS = Array.from({ length: 39 }, (_, i) => `h${String(2 * i + 1).padStart(2, '0')}`);

it('every row of the table of hostile inputs has a test', () => {
  expect(ROWS.map(({ id }) => id).sort()).toEqual(IDS);
});

function describeRows(address: () => Promise<string>): void {
  let world: HostileWorld;
  beforeAll(async () => {
    world = await HostileWorld.start(await address());
  });
  afterAll(() => world.stop());

  it.each(ROWS.map((row) => [row.id, row.title, row] as const))('%s %s', (_id, _title, row) =>
    row.check(world),
  );
}

describe('hostile inputs on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-hostile-'));
  describeRows(async () => `file:${join(folder, 'hostile.db')}`);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
});

describePostgres('hostile inputs on PostgreSQL', () => {
  describeRows(createDatabase);
});
