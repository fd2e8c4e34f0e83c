import type { RowKind } from '@signalbox/store';

/** Columns, those of the key included, of every kind of row that a node has to read. */
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
    columns: ['partition', 'epoch', 'seq', 'checksum'],
  },
  {
    kind: 'inbox',
    name: 'inbox',
    key: ['id'],
    columns: [
      ...['id', 'partition', 'kind', 'tenant', 'job', 'priority', 'head', 'input', 'key', 'at_ms'],
      'checksum',
    ],
  },
  {
    kind: 'definition',
    name: 'definitions',
    key: ['tenant', 'kind', 'name', 'version'],
    columns: [
      ...['tenant', 'kind', 'name', 'version', 'body', 'author', 'at_ms', 'deleted'],
      'checksum',
    ],
  },
  {
    kind: 'key',
    name: 'keys',
    key: ['tenant', 'key'],
    columns: ['tenant', 'key', 'run', 'entry', 'at_ms', 'checksum'],
  },
];

const PARKED_COLUMNS = ['partition', 'lane', 'sort', 'id', 'tenant', 'checksum'];
const GROUP_COLUMNS = [
  ...['partition', 'seq', 'epoch', 'commit_id', 'at_ms', 'fact_count', 'body'],
  'checksum',
];
const RUN_COLUMNS = [
  ...['tenant', 'id', 'job', 'job_version', 'priority', 'head', 'keys', 'input_bytes', 'input'],
  ...['checksum', 'input_checksum'],
];
const END_COLUMNS = [
  ...['id', 'tenant', 'state', 'ended_at_ms', 'detail', 'output'],
  ...['checksum', 'output_checksum'],
];
const PARKED_KEY = ['partition', 'lane', 'sort', 'id'];

export const SQLITE_TABLES: readonly Table[] = [
  ...COMMON,
  {
    kind: 'checkpoint',
    name: 'checkpoint_chunks',
    key: ['partition', 'number'],
    columns: ['partition', 'number', 'body'],
  },
  { kind: 'group', name: 'groups_', key: ['partition', 'seq'], columns: GROUP_COLUMNS },
  { kind: 'run', name: 'runs_', key: ['tenant', 'id'], columns: RUN_COLUMNS },
  { kind: 'end', name: 'ends_', key: ['id'], columns: END_COLUMNS },
  { kind: 'parked', name: 'parked_', key: PARKED_KEY, columns: PARKED_COLUMNS },
];

export const POSTGRES_TABLES: readonly Table[] = [
  ...COMMON,
  {
    kind: 'checkpoint',
    name: 'checkpoint_chunks',
    key: ['partition', 'seq', 'number'],
    columns: ['partition', 'seq', 'number', 'body'],
  },
  { kind: 'group', name: 'groups', key: ['partition', 'seq'], columns: GROUP_COLUMNS },
  { kind: 'run', name: 'runs', key: ['tenant', 'id'], columns: [...RUN_COLUMNS, 'count', 'body'] },
  { kind: 'end', name: 'ends', key: ['id'], columns: [...END_COLUMNS, 'count', 'body'] },
  { kind: 'parked', name: 'parked', key: PARKED_KEY, columns: PARKED_COLUMNS },
];
