import type { Migration } from './all-migrations.ts';

/** Everything that is not divided into segments; the tables of a segment are created with the segment. */
const BASE = `
CREATE TABLE settings (
  name TEXT PRIMARY KEY NOT NULL,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
  partition INTEGER PRIMARY KEY CHECK (partition BETWEEN 0 AND 4095),
  owner TEXT NOT NULL,
  epoch INTEGER NOT NULL CHECK (epoch > 0),
  expires_at_ms INTEGER NOT NULL,
  last_seq INTEGER NOT NULL CHECK (last_seq > 0)
) STRICT;

CREATE TABLE nodes (
  node TEXT PRIMARY KEY NOT NULL,
  address TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoints (
  partition INTEGER PRIMARY KEY,
  epoch INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

CREATE TABLE checkpoint_chunks (
  partition INTEGER NOT NULL,
  number INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (partition, number)
) STRICT;

-- The checkpoint before the current one, for when that is damaged.
CREATE TABLE older_checkpoints (
  partition INTEGER PRIMARY KEY,
  epoch INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

CREATE TABLE older_checkpoint_chunks (
  partition INTEGER NOT NULL,
  number INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (partition, number)
) STRICT;

-- entry: the inbox entry that reserves the key. at_ms: when a run that was stored before got the key.
-- Both are null in a run's own key.
CREATE TABLE keys (
  tenant TEXT NOT NULL,
  key TEXT NOT NULL,
  run BLOB NOT NULL,
  entry TEXT,
  at_ms INTEGER,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (tenant, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX keys_by_run ON keys (run);

CREATE TABLE inbox (
  id TEXT PRIMARY KEY NOT NULL,
  partition INTEGER NOT NULL,
  kind TEXT NOT NULL,
  tenant TEXT NOT NULL,
  job TEXT NOT NULL,
  priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 2),
  head TEXT NOT NULL,
  input BLOB,
  key TEXT,
  at_ms INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX inbox_by_partition ON inbox (partition, at_ms, id);

CREATE TABLE definitions (
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version > 0),
  body TEXT NOT NULL,
  author TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  deleted INTEGER NOT NULL CHECK (deleted IN (0, 1)),
  checksum INTEGER NOT NULL,
  PRIMARY KEY (tenant, kind, name, version)
) STRICT;
CREATE INDEX definition_changes ON definitions (kind, at_ms, tenant, name, version);

CREATE TABLE audit (
  tenant TEXT NOT NULL,
  number INTEGER NOT NULL CHECK (number > 0),
  at_ms INTEGER NOT NULL,
  actor TEXT NOT NULL,
  ip TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  before TEXT,
  after TEXT,
  reason TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (tenant, number)
) STRICT, WITHOUT ROWID;

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

-- Partitions whose facts no node can read.
CREATE TABLE stopped_partitions (
  partition INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  error TEXT NOT NULL
) STRICT;

-- A dropped segment keeps its row: creating it again would let a dropped run come back.
CREATE TABLE segments (
  segment INTEGER PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('open', 'sealed', 'dropped')),
  sealed_at_ms INTEGER
) STRICT;

CREATE TABLE group_segments (
  segment INTEGER PRIMARY KEY
) STRICT;
`;

export const base: Migration = (db) => db.exec(BASE);
