import { RUN_TABLES } from './create-run-segment.ts';

/** Against writers of this one segment; readers, and writers of every other segment, continue. */
export function lockRunSegment(s: string, fromMs: number): string {
  const tables = RUN_TABLES.map((table) => `${s}.${table}_${fromMs}`).join(', ');
  return `lock table ${tables} in share row exclusive mode`;
}
