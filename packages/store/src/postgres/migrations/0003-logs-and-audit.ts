import { makeLogTables } from '../sql/logs/make-log-tables.ts';

/**
 * Logs are cut like runs and go with them; the segments that are there get their tables here. New
 * tables only, so that no commit waits for it.
 *
 * The key of a line names no tenant: a run's id is nobody else's, and the shorter key is written
 * with every line. Reads test the tenant (I19).
 */
export const logsAndAudit = (s: string): string => `
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
${makeLogTables(s)}

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
`;
