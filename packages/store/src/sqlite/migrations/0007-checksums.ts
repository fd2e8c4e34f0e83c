import type { Migration } from './migration.ts';

/**
 * Checksums of rows, a copy of the checkpoint before the current one, and the rows that could not be
 * read. Rows from before have no checksum and are checked by decoding them.
 */
const CHECKSUMS = `
ALTER TABLE inbox ADD COLUMN checksum INTEGER;
ALTER TABLE definitions ADD COLUMN checksum INTEGER;
ALTER TABLE checkpoints ADD COLUMN checksum INTEGER;

CREATE TABLE older_checkpoints (
  partition INTEGER PRIMARY KEY,
  epoch INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  checksum INTEGER
) STRICT;

CREATE TABLE older_checkpoint_chunks (
  partition INTEGER NOT NULL,
  number INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (partition, number)
) STRICT;

CREATE TABLE damaged_rows (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  partition INTEGER,
  tenant TEXT,
  at_ms INTEGER NOT NULL,
  error TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT;
`;

const RUN_SEGMENTS = 'SELECT segment FROM segments WHERE dropped = 0';
const GROUP_SEGMENTS = 'SELECT segment FROM group_segments';

const ofRunSegment = (segment: number): string => `
ALTER TABLE runs_${segment} ADD COLUMN checksum INTEGER;
ALTER TABLE runs_${segment} ADD COLUMN input_checksum INTEGER;
ALTER TABLE ends_${segment} ADD COLUMN checksum INTEGER;
ALTER TABLE ends_${segment} ADD COLUMN output_checksum INTEGER;
`;

export const checksums: Migration = {
  version: 7,
  name: 'checksums',
  apply: (db) => {
    db.exec(CHECKSUMS);
    for (const row of db.all(RUN_SEGMENTS)) db.exec(ofRunSegment(row['segment'] as number));
    for (const row of db.all(GROUP_SEGMENTS)) {
      db.exec(`ALTER TABLE groups_${row['segment'] as number} ADD COLUMN checksum INTEGER`);
    }
  },
};
