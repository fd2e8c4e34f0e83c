/**
 * Everything the store needs. Three families are cut into range partitions that are made ahead and
 * dropped whole: groups by seq, and runs, ends and parked by id, which begins with the time.
 * Text that is compared has the collation "C": the order of bytes is the order of the other stores,
 * and an index does not depend on the operating system's idea of sorting.
 * Columns of fixed width come first, so that no padding goes to the log with every row.
 */
export const base = (s: string): string => `
create table ${s}.groups (
  seq bigint not null check (seq >= 1),
  epoch bigint not null check (epoch >= 1),
  at_ms bigint not null,
  partition int not null,
  fact_count int not null,
  commit_id text not null,
  body bytea not null,
  primary key (partition, seq)
) partition by range (seq);
-- Packed facts are numbers and ids: an attempt to compress them costs more than it saves.
alter table ${s}.groups alter column body set storage external;

create table ${s}.runs (
  id uuid not null,
  job_version int not null,
  input_bytes int not null,
  class smallint not null check (class between 0 and 2),
  tenant text collate "C" not null,
  job text collate "C" not null,
  head text not null,
  input bytea,
  primary key (tenant, id)
) partition by range (id);

-- The key by id alone repeats I3 in the schema: a run ends once, whoever says so.
create table ${s}.ends (
  id uuid not null,
  ended_at_ms bigint not null,
  tenant text collate "C" not null,
  state text not null,
  detail text not null,
  output bytea,
  primary key (id)
) partition by range (id);

create table ${s}.parked (
  id uuid not null,
  sort bigint not null,
  partition int not null,
  lane text collate "C" not null,
  tenant text collate "C" not null,
  primary key (partition, lane, sort, id)
) partition by range (id);

create table ${s}.keys (
  run uuid not null,
  tenant text collate "C" not null,
  key text collate "C" not null,
  primary key (tenant, key)
);

-- Updated with every beat: free space in each page keeps new versions beside the old ones, and
-- off the index.
create table ${s}.leases (
  partition int primary key,
  epoch bigint not null check (epoch >= 1),
  expires_at_ms bigint not null,
  -- The last seq whose group has been dropped: numbering goes on from there (I9).
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
  class smallint not null check (class between 0 and 2),
  tenant text collate "C" not null,
  job text collate "C" not null,
  head text not null,
  key text,
  input bytea
);
create index inbox_oldest on ${s}.inbox (partition, at_ms, id);

create table ${s}.definitions (
  tenant text collate "C" not null,
  kind text collate "C" not null,
  name text collate "C" not null,
  version int not null check (version >= 1),
  at_ms bigint not null,
  deleted boolean not null,
  author text not null,
  body text not null,
  primary key (tenant, kind, name, version)
);

create table ${s}.checkpoints (
  partition int primary key,
  epoch bigint not null,
  seq bigint not null,
  chunk_count int not null
);

create table ${s}.checkpoint_chunks (
  partition int not null,
  seq bigint not null,
  number int not null,
  body bytea not null,
  primary key (partition, seq, number)
);
alter table ${s}.checkpoint_chunks alter column body set storage external;

-- Attempts to commit whose answer was lost and that may never succeed any more.
create table ${s}.voided (
  token bigint primary key,
  at_ms bigint not null
);

-- A dropped segment keeps its line: making it again would let a dropped run come back.
create table ${s}.segments (
  from_ms bigint primary key,
  to_ms bigint not null check (to_ms > from_ms),
  state text not null check (state in ('open', 'sealed', 'dropped'))
);

create table ${s}.group_segments (
  from_seq bigint primary key,
  to_seq bigint not null check (to_seq > from_seq)
);
`;
