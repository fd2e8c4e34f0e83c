import { ONE_OFF, type Statement } from '../statement.ts';

/** Whether a segment holds a run: reads one row of its own table. */
export function readIsSegmentUsed(s: string, fromMs: number): Statement {
  return { name: ONE_OFF, text: `select exists (select from ${s}.runs_${fromMs}) as is_used` };
}
