import { StoreError } from '../errors.ts';
import { SEGMENT_MS_DEFAULT } from '../run-segment.ts';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  /** The schema that holds everything of this store. */
  readonly schema?: string;
  /** How much time one run segment covers. */
  readonly segmentMs?: number;
  /** Seqs per group segment. */
  readonly groupSegmentSize?: number;
  /** Off behind a pooler in transaction mode that does not follow named statements. */
  readonly prepare?: boolean;
  /** Most connections for reads and small writes; commits and leases have one each besides. */
  readonly readPoolSize?: number;
  readonly connectTimeoutMs?: number;
  /** How long a response may take before the connection is closed. */
  readonly responseTimeoutMs?: number;
}

export type PostgresSettings = Required<PostgresStoreOptions>;

/**
 * Larger than in the other stores: a segment is a table here, and a partition that commits two
 * hundred times a second would fill thousands of small ones in a day.
 */
const GROUP_SEGMENT_SIZE = 2 ** 18;
/** Plain lower case, so that it never needs quotes and table names built on it fit 63 bytes. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,39}$/;

export function toSettings(options: PostgresStoreOptions): PostgresSettings {
  const settings: PostgresSettings = {
    schema: 'signalbox',
    segmentMs: SEGMENT_MS_DEFAULT,
    groupSegmentSize: GROUP_SEGMENT_SIZE,
    prepare: true,
    readPoolSize: 4,
    connectTimeoutMs: 3_000,
    responseTimeoutMs: 10_000,
    ...options,
  };
  if (!SCHEMA_NAME.test(settings.schema)) {
    throw new StoreError('invalid', `invalid schema name ${settings.schema}`);
  }
  const { segmentMs, groupSegmentSize, readPoolSize, connectTimeoutMs, responseTimeoutMs } =
    settings;
  const counts = { segmentMs, groupSegmentSize, readPoolSize, connectTimeoutMs, responseTimeoutMs };
  for (const [name, value] of Object.entries(counts)) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new StoreError('invalid', `${name} must be a positive whole number, not ${value}`);
    }
  }
  return settings;
}
