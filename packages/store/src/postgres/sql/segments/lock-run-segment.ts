import { RUN_TABLES } from './create-run-segment.ts';

/**
 * Against writers of this one segment; readers, and writers of every other segment, go on. The
 * table for logs need not be there: it is made for the first line.
 */
export function lockRunSegment(s: string, fromMs: number): string {
  const tables = RUN_TABLES.map((table) => `${s}.${table}_${fromMs}`).join(', ');
  return `
lock table ${tables} in share row exclusive mode;
do $$
begin
  if to_regclass('${s}.logs_${fromMs}') is not null then
    lock table ${s}.logs_${fromMs} in share row exclusive mode;
  end if;
end $$`;
}
