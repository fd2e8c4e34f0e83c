import { base } from './0001-base.ts';
import { runKeys } from './0002-run-keys.ts';
import { logsAndAudit } from './0003-logs-and-audit.ts';
import { definitionChanges } from './0004-definition-changes.ts';
import { packs } from './0005-packs.ts';
import { reservedKeys } from './0006-reserved-keys.ts';
import { sealedAt } from './0007-sealed-at.ts';
import { checksums } from './0008-checksums.ts';
import { completeChecksums } from './0009-complete-checksums.ts';
import { requireChecksums } from './0010-require-checksums.ts';

/** In order: migration n brings the schema from version n - 1 to n. Only additions, ever. */
export const migrations: readonly ((schema: string) => string)[] = [
  base,
  runKeys,
  logsAndAudit,
  definitionChanges,
  packs,
  reservedKeys,
  sealedAt,
  checksums,
  completeChecksums,
  requireChecksums,
];

/** The migration before the one that refuses rows without a checksum. */
export const FILLED_BEHIND = migrations.indexOf(completeChecksums);
