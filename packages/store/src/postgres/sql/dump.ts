import { CLOCK_MS, type Statement } from './statement.ts';

const CONDITIONS = {
  groups: '',
  checkpoints: '',
  checkpoint_chunks: 'order by partition, seq, number',
  leases: '',
  nodes: `where expires_at_ms > ${CLOCK_MS}`,
  runs: '',
  ends: '',
  parked: '',
  keys: '',
  inbox: '',
  definitions: '',
  logs: '',
  audit: '',
  segments: `where state <> 'dropped'`,
} as const;

export type DumpedTable = keyof typeof CONDITIONS;

/** A whole table, for checkers and tests. A scan, from the snapshot of its transaction. */
export function dumpTable(s: string, table: DumpedTable): Statement {
  return { name: `dump_${table}`, text: `select * from ${s}.${table} ${CONDITIONS[table]}` };
}
