/**
 * Checksums of rows, the checkpoint before the current one, and the rows that could not be read. A new
 * column without a default rewrites no row; rows from before have no checksum and are checked by decoding
 * them. The checksum of a definition is wider, because the time of the row is added to it.
 */
export const checksums = (s: string): string => `
alter table ${s}.groups add column checksum int;
alter table ${s}.runs add column checksum int, add column input_checksum int;
alter table ${s}.ends add column checksum int, add column output_checksum int;
alter table ${s}.inbox add column checksum int;
alter table ${s}.definitions add column checksum bigint;
alter table ${s}.checkpoints add column checksum int;

create table ${s}.older_checkpoints (
  partition int primary key,
  epoch bigint not null,
  seq bigint not null,
  checksum int
);

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
`;
