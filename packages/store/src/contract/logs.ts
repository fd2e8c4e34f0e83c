import type { LogLineRow, LogQuery } from '../log-lines.ts';

/** Lines that attempts print. */
export interface LogStore {
  /**
   * Stores lines. A line is identified by (run, task, attempt, number); storing it again is a no-op, so a
   * batch whose result was lost is sent again. Callers replace NUL before.
   * Lines of a run whose segment is not open (sealed, dropped or never created) are left out: such a
   * run is over, and one late line must not refuse the lines of other runs in the batch.
   */
  appendLogs(lines: readonly LogLineRow[]): Promise<void>;
  /**
   * Lines of a run in order of (task, attempt, number), after the cursor; optionally of one task or
   * attempt. Empty for an absent run and for a run of another tenant alike.
   */
  readLogs(query: LogQuery): Promise<LogLineRow[]>;
}
