import { base } from './0001-base.ts';
import { retention } from './0002-retention.ts';
import { logsAndAudit } from './0003-logs-and-audit.ts';
import { definitionChanges } from './0004-definition-changes.ts';
import { reservedKeys } from './0005-reserved-keys.ts';
import { sealedAt } from './0006-sealed-at.ts';
import { checksums } from './0007-checksums.ts';
import { completeChecksums } from './0008-complete-checksums.ts';
import type { Migration } from './migration.ts';

/** In order; a migration that has been released is never changed, only followed by another. */
export const MIGRATIONS: readonly Migration[] = [
  base,
  retention,
  logsAndAudit,
  definitionChanges,
  reservedKeys,
  sealedAt,
  checksums,
  completeChecksums,
];
