import { payloadChecksum } from '../../damage/checksum.ts';
import {
  checkpointChecksum,
  definitionChecksum,
  endChecksum,
  groupChecksum,
  inboxChecksum,
  keyChecksum,
  parkedChecksum,
  runChecksum,
} from '../../damage/row-checksums.ts';
import type { Database, Row } from '../database.ts';
import { keyOf } from '../keys.ts';
import { placeOf } from '../parked.ts';
import { definitionOf, endOf, groupOf, inboxEntryOf, runOf } from '../rows.ts';
import type { Migration } from './migration.ts';

/**
 * Keys and places of lanes get a checksum, and so does every row from before checksums: from here on a
 * row without one is damaged. Also the partitions that are stopped, by the node that could not read them.
 */
const TABLES = `
ALTER TABLE keys ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;

CREATE TABLE stopped_partitions (
  partition INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  error TEXT NOT NULL
) STRICT;
`;

const RUN_SEGMENTS = 'SELECT segment FROM segments WHERE dropped = 0';
const GROUP_SEGMENTS = 'SELECT segment FROM group_segments';

export const completeChecksums: Migration = {
  version: 8,
  name: 'complete checksums',
  apply: (db) => {
    db.exec(TABLES);
    fill(db, 'keys', ['tenant', 'key'], (row) => keyChecksum(keyOf(row)));
    fill(db, 'inbox', ['id'], (row) => inboxChecksum(inboxEntryOf(row)));
    fill(db, 'definitions', ['tenant', 'kind', 'name', 'version'], (row) => {
      const definition = definitionOf(row);
      return definitionChecksum(definition) + definition.atMs;
    });
    fillCheckpoints(db, 'checkpoints', 'checkpoint_chunks');
    fillCheckpoints(db, 'older_checkpoints', 'older_checkpoint_chunks');
    for (const row of db.all(GROUP_SEGMENTS)) {
      const table = `groups_${row['segment'] as number}`;
      fill(db, table, ['partition', 'seq'], (group) => groupChecksum(groupOf(group)));
    }
    for (const row of db.all(RUN_SEGMENTS)) fillRuns(db, row['segment'] as number);
  },
};

function fillRuns(db: Database, segment: number): void {
  db.exec(`ALTER TABLE parked_${segment} ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0`);
  fill(db, `parked_${segment}`, ['partition', 'lane', 'sort', 'id'], (row) => {
    const place = placeOf(row);
    return parkedChecksum(place.partition, place);
  });
  fill(db, `runs_${segment}`, ['tenant', 'id'], (row) => {
    return runChecksum(runOf(row), row['keys'] as string);
  });
  fill(db, `ends_${segment}`, ['id'], (row) => endChecksum(endOf(row)));
  fillPayloads(db, `runs_${segment}`, ['tenant', 'id'], 'input');
  fillPayloads(db, `ends_${segment}`, ['id'], 'output');
}

function fillCheckpoints(db: Database, heads: string, chunks: string): void {
  fill(db, heads, ['partition'], (row) => {
    const partition = row['partition'] as number;
    const rows = db.all(
      `SELECT bytes FROM ${chunks} WHERE partition = ? ORDER BY number`,
      partition,
    );
    return checkpointChecksum({
      ...{ partition, epoch: row['epoch'] as number, seq: row['seq'] as number },
      chunks: rows.map(({ bytes }) => bytes as Uint8Array),
    });
  });
}

function fillPayloads(db: Database, table: string, key: readonly string[], payload: string): void {
  fill(
    db,
    table,
    key,
    (row) => payloadChecksum(row[payload] as Uint8Array | null),
    `${payload}_checksum`,
  );
}

/** New columns are 0 in the rows from before, older ones are null. */
function fill(
  db: Database,
  table: string,
  key: readonly string[],
  checksumOf: (row: Row) => number,
  column = 'checksum',
): void {
  const isNew = table === 'keys' || table.startsWith('parked_');
  const where = key.map((name) => `${name} = ?`).join(' AND ');
  const rows = db.all(`SELECT * FROM ${table} ${isNew ? '' : `WHERE ${column} IS NULL`}`);
  for (const row of rows) {
    const values = key.map((name) => row[name] as string | number | Uint8Array);
    db.run(`UPDATE ${table} SET ${column} = ? WHERE ${where}`, checksumOf(row), ...values);
  }
}
