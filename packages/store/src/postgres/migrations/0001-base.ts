/**
 * Everything the store needs. Four families are divided into range partitions (segments) that are created
 * ahead and dropped whole: groups by seq; runs, ends, parked and logs by run id, which begins with the time.
 * Text that is compared has the collation "C": the order of bytes is the order of the other stores,
 * and an index does not depend on the sort order of the operating system.
 * Columns of fixed width come first, so that no padding is written to the log with every row; columns that
 * are mostly null come last and take no space.
 */
export const base = (s: string): string => `
create table ${s}.groups (
  seq bigint not null check (seq >= 1),
  epoch bigint not null check (epoch >= 1),
  at_ms bigint not null,
  partition int not null,
  fact_count int not null,
  checksum int not null,
  commit_id text not null,
  body bytea not null,
  primary key (partition, seq)
) partition by range (seq);
-- Encoded facts are numbers and ids: an attempt to compress them costs more than it saves.
alter table ${s}.groups alter column body set storage external;

-- keys: the idempotency keys of the run as a JSON list, or '' for none; kept when the keys expire.
-- last, count and body: set in a row block, which stands for the runs from id to last.
create table ${s}.runs (
  id uuid not null,
  job_version int not null,
  input_bytes int not null,
  checksum int not null,
  input_checksum int not null,
  priority smallint not null check (priority between 0 and 2),
  tenant text collate "C" not null,
  job text collate "C" not null,
  head text not null,
  keys text not null default '',
  input bytea,
  last uuid,
  count int,
  body bytea,
  primary key (tenant, id)
) partition by range (id);
-- A body holds inputs: compressing them during a commit costs more than it saves.
alter table ${s}.runs alter column body set storage external;

-- The primary key by id alone repeats I3 in the schema: a run ends once.
create table ${s}.ends (
  id uuid not null,
  ended_at_ms bigint not null,
  checksum int not null,
  output_checksum int not null,
  tenant text collate "C" not null,
  state text not null,
  detail text not null,
  output bytea,
  last uuid,
  count int,
  body bytea,
  primary key (id)
) partition by range (id);
alter table ${s}.ends alter column body set storage external;

create table ${s}.parked (
  id uuid not null,
  sort bigint not null,
  partition int not null,
  checksum int not null,
  lane text collate "C" not null,
  tenant text collate "C" not null,
  primary key (partition, lane, sort, id)
) partition by range (id);

-- The key of a line does not contain the tenant: a run id belongs to one tenant, and the shorter key is
-- written with every line. Reads test the tenant (I19).
create table ${s}.logs (
  run uuid not null,
  number bigint not null,
  at_ms bigint not null,
  task int not null,
  attempt int not null,
  tenant text collate "C" not null,
  stream text not null,
  text text not null,
  primary key (run, task, attempt, number)
) partition by range (run);

-- entry: the inbox entry that reserves the key. at_ms: when a run that was stored before got the key.
-- Both are null in a run's own key.
create table ${s}.keys (
  run uuid not null,
  checksum int not null,
  tenant text collate "C" not null,
  key text collate "C" not null,
  entry text collate "C",
  at_ms bigint,
  primary key (tenant, key)
);
-- Finds the oldest keys by the id of their run. New entries go to its right end, so it stays cached.
create index keys_by_run on ${s}.keys (run);

-- Updated with every beat: free space in each page keeps new versions beside the old ones, and
-- off the index.
create table ${s}.leases (
  partition int primary key,
  epoch bigint not null check (epoch >= 1),
  expires_at_ms bigint not null,
  -- The last seq whose group has been dropped: numbering continues from there (I9).
  dropped_seq bigint not null default 0,
  owner text not null
) with (fillfactor = 50);

create table ${s}.nodes (
  node text collate "C" primary key,
  address text not null,
  expires_at_ms bigint not null
) with (fillfactor = 50);

create table ${s}.inbox (
  id text collate "C" primary key,
  at_ms bigint not null,
  partition int not null,
  checksum int not null,
  priority smallint not null check (priority between 0 and 2),
  kind text not null,
  tenant text collate "C" not null,
  job text collate "C" not null,
  head text not null,
  key text,
  input bytea
);
create index inbox_by_partition on ${s}.inbox (partition, at_ms, id);

-- The checksum is wider than elsewhere, because the time of the row is added to it.
create table ${s}.definitions (
  tenant text collate "C" not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  version int not null check (version >= 1),
  at_ms bigint not null,
  checksum bigint not null,
  deleted boolean not null,
  author text not null,
  body text not null,
  primary key (tenant, kind, name, version)
);
create index definition_changes on ${s}.definitions (kind, at_ms, tenant, name, version);

create table ${s}.audit (
  number bigint not null check (number >= 1),
  at_ms bigint not null,
  tenant text collate "C" not null,
  actor text not null,
  ip text not null,
  action text not null,
  target text not null,
  before text,
  after text,
  reason text not null,
  hash text not null,
  primary key (tenant, number)
);

create table ${s}.checkpoints (
  partition int primary key,
  epoch bigint not null,
  seq bigint not null,
  chunk_count int not null,
  checksum int not null
);

-- The checkpoint before the current one, for when that is damaged.
create table ${s}.older_checkpoints (
  partition int primary key,
  epoch bigint not null,
  seq bigint not null,
  checksum int not null
);

create table ${s}.checkpoint_chunks (
  partition int not null,
  seq bigint not null,
  number int not null,
  body bytea not null,
  primary key (partition, seq, number)
);
alter table ${s}.checkpoint_chunks alter column body set storage external;

create table ${s}.damaged_rows (
  kind text collate "C" not null,
  key text collate "C" not null,
  partition int,
  tenant text collate "C",
  at_ms bigint not null,
  error text not null,
  bytes bytea not null,
  primary key (kind, key)
);

-- Partitions whose facts no node can read.
create table ${s}.stopped_partitions (
  partition int primary key,
  at_ms bigint not null,
  error text not null
);

-- Attempts to commit whose result was lost and that must not succeed any more.
create table ${s}.voided (
  token bigint primary key,
  at_ms bigint not null
);

-- A dropped segment keeps its row: creating it again would let a dropped run come back.
create table ${s}.segments (
  from_ms bigint primary key,
  to_ms bigint not null check (to_ms > from_ms),
  sealed_at_ms bigint,
  state text not null check (state in ('open', 'sealed', 'dropped'))
);

create table ${s}.group_segments (
  from_seq bigint primary key,
  to_seq bigint not null check (to_seq > from_seq)
);
`;
