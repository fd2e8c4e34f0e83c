import { RUN_TABLES } from './create-run-segment.ts';

/**
 * All its tables go as files, whatever they held: no row is visited, nothing is left to vacuum. Each
 * drop locks its parent for a moment; the order is that of a commit, so the two never wait for
 * each other in a ring.
 */
export function dropRunSegment(s: string, fromMs: number): string {
  const drops = RUN_TABLES.map((table) => `drop table ${s}.${table}_${fromMs};`).join('\n');
  return `
lock table ${RUN_TABLES.map((table) => `${s}.${table}`).join(', ')}
  in access exclusive mode;
${drops}
update ${s}.segments set state = 'dropped' where from_ms = ${fromMs};`;
}
