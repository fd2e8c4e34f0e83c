import type { Migration } from './migration.ts';

/** Everything that is not cut into segments; the tables of a segment are made with the segment. */
const BASE = `
CREATE TABLE settings (
  name TEXT PRIMARY KEY NOT NULL,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE partitions (
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
  seq INTEGER NOT NULL
) STRICT;

CREATE TABLE checkpoint_chunks (
  partition INTEGER NOT NULL,
  number INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (partition, number)
) STRICT;

CREATE TABLE keys (
  tenant TEXT NOT NULL,
  key TEXT NOT NULL,
  run BLOB NOT NULL,
  PRIMARY KEY (tenant, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox (
  id TEXT PRIMARY KEY NOT NULL,
  partition INTEGER NOT NULL,
  tenant TEXT NOT NULL,
  job TEXT NOT NULL,
  class INTEGER NOT NULL CHECK (class BETWEEN 0 AND 2),
  head TEXT NOT NULL,
  input BLOB,
  key TEXT,
  at_ms INTEGER NOT NULL
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
  PRIMARY KEY (tenant, kind, name, version)
) STRICT;

CREATE TABLE segments (
  segment INTEGER PRIMARY KEY,
  sealed INTEGER NOT NULL CHECK (sealed IN (0, 1))
) STRICT;

CREATE TABLE group_segments (
  segment INTEGER PRIMARY KEY
) STRICT;
`;

export const base: Migration = {
  version: 1,
  name: 'base',
  apply: (db) => db.exec(BASE),
};
