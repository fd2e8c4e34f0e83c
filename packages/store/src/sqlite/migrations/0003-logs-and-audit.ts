import { createLogTable } from '../sql/segments/create-log-table.ts';
import type { Migration } from './migration.ts';

const AUDIT = `
CREATE TABLE audit (
  tenant TEXT NOT NULL,
  number INTEGER NOT NULL CHECK (number > 0),
  at_ms INTEGER NOT NULL,
  actor TEXT NOT NULL,
  ip TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  before TEXT,
  after TEXT,
  reason TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (tenant, number)
) STRICT, WITHOUT ROWID;
`;

const SEGMENTS = 'SELECT segment FROM segments WHERE dropped = 0';

/** The audit log, and logs for the runs of every segment that is there already. */
export const logsAndAudit: Migration = {
  version: 3,
  name: 'logs and audit',
  apply: (db) => {
    db.exec(AUDIT);
    for (const row of db.all(SEGMENTS)) db.exec(createLogTable(row['segment'] as number));
  },
};
