import type { RowKind } from '@signalbox/store';

/** Columns that are not part of a key, of every kind of row that a node has to read. */
export interface Table {
  readonly kind: RowKind;
  /** On SQLite the name of a family of tables where it ends with an underscore. */
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: readonly string[];
}

const COMMON: readonly Table[] = [
  {
    kind: 'checkpoint',
    name: 'checkpoints',
    key: ['partition'],
    columns: ['epoch', 'seq', 'checksum'],
  },
  {
    kind: 'inbox',
    name: 'inbox',
    key: ['id'],
    columns: ['job', 'head', 'input', 'key', 'at_ms', 'checksum'],
  },
  {
    kind: 'definition',
    name: 'definitions',
    key: ['tenant', 'kind', 'name', 'version'],
    columns: ['body', 'author', 'at_ms', 'deleted', 'checksum'],
  },
];

const GROUP_COLUMNS = ['epoch', 'commit_id', 'at_ms', 'fact_count', 'body', 'checksum'];
const RUN_COLUMNS = ['job', 'job_version', 'head', 'keys', 'input_bytes', 'input'];
const END_COLUMNS = ['state', 'ended_at_ms', 'detail', 'output'];
const RUN_CHECKSUMS = ['checksum', 'input_checksum'];
const END_CHECKSUMS = ['checksum', 'output_checksum'];

export const SQLITE_TABLES: readonly Table[] = [
  ...COMMON,
  {
    kind: 'checkpoint',
    name: 'checkpoint_chunks',
    key: ['partition', 'number'],
    columns: ['bytes'],
  },
  { kind: 'group', name: 'groups_', key: ['partition', 'seq'], columns: GROUP_COLUMNS },
  {
    kind: 'run',
    name: 'runs_',
    key: ['tenant', 'id'],
    columns: [...RUN_COLUMNS, ...RUN_CHECKSUMS],
  },
  { kind: 'end', name: 'ends_', key: ['id'], columns: [...END_COLUMNS, ...END_CHECKSUMS] },
];

export const POSTGRES_TABLES: readonly Table[] = [
  ...COMMON,
  {
    kind: 'checkpoint',
    name: 'checkpoint_chunks',
    key: ['partition', 'seq', 'number'],
    columns: ['body'],
  },
  { kind: 'group', name: 'groups', key: ['partition', 'seq'], columns: GROUP_COLUMNS },
  {
    kind: 'run',
    name: 'runs',
    key: ['tenant', 'id'],
    columns: [...RUN_COLUMNS, 'body', ...RUN_CHECKSUMS],
  },
  {
    kind: 'end',
    name: 'ends',
    key: ['id'],
    columns: [...END_COLUMNS, 'body', ...END_CHECKSUMS],
  },
];
