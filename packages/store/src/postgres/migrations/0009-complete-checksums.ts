/**
 * Keys and places of lanes get a checksum, and so does every row from before checksums, which
 * `fill-checksums.ts` computes behind this script. Also the partitions that are stopped, because no
 * node can read their facts.
 */
export const completeChecksums = (s: string): string => `
alter table ${s}.keys add column checksum int;
alter table ${s}.parked add column checksum int;

create table ${s}.stopped_partitions (
  partition int primary key,
  at_ms bigint not null,
  error text not null
);
`;
