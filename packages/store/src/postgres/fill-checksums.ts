import type { Class, RunId } from '@signalbox/engine';
import { payloadChecksum } from '../damage/checksum.ts';
import {
  checkpointChecksum,
  definitionChecksum,
  endBlockChecksum,
  endChecksum,
  endsChecksum,
  groupChecksum,
  inboxChecksum,
  inputsChecksum,
  keyChecksum,
  parkedChecksum,
  runBlockChecksum,
  runChecksum,
} from '../damage/row-checksums.ts';
import type { Connection } from './connection/connection.ts';
import { step } from './connection/step.ts';
import type { DefinitionColumns } from './definitions.ts';
import type { InboxColumns } from './inbox.ts';
import type { PlaceColumns } from './parked.ts';
import { readEndBlock, readRunBlock, readSizes } from './row-blocks/read-row-blocks.ts';
import { toGroupHead, type WholeGroupColumns } from './rows/group-row.ts';
import { type EndColumns, parseKeys, type RunColumns } from './rows/run-row.ts';
import { rowsWithoutChecksum, setChecksum } from './sql/fill-checksums.ts';
import type { ValueWriter } from './wire/value-writer.ts';

/** Rows of one table, and what each of them gets; `key` is the primary key with its types. */
interface Filled<Row> {
  readonly table: string;
  readonly key: Readonly<Record<string, 'bigint' | 'int' | 'text' | 'uuid'>>;
  readonly checksums: Readonly<Record<string, (row: Row) => number>>;
}

/** Rows from before checksums get theirs, inside the transaction of the migration. */
export async function fillChecksums(connection: Connection, schema: string): Promise<void> {
  const fill = <Row extends object>(filled: Filled<Row>): Promise<void> =>
    fillTable(connection, schema, filled);
  await fill(GROUPS);
  await fill(RUNS);
  await fill(ENDS);
  await fill(KEYS);
  await fill(PARKED);
  await fill(INBOX);
  await fill(DEFINITIONS);
  const chunks = await connection.query<ChunkColumns>(
    step(rowsWithoutChecksum(schema, { table: 'checkpoint_chunks', column: null })),
  );
  for (const table of ['checkpoints', 'older_checkpoints']) await fill(checkpoints(table, chunks));
}

async function fillTable<Row extends object>(
  connection: Connection,
  schema: string,
  { table, key, checksums }: Filled<Row>,
): Promise<void> {
  for (const [column, checksumOf] of Object.entries(checksums)) {
    const statement = setChecksum(schema, { table, column, key });
    const rows = await connection.query<Row>(step(rowsWithoutChecksum(schema, { table, column })));
    for (const row of rows) {
      await connection.query(
        step(statement, Object.keys(key).length + 1, (writer) => {
          writer.int8(checksumOf(row));
          for (const [name, type] of Object.entries(key)) {
            bind(writer, type, row[name as keyof Row]);
          }
        }),
      );
    }
  }
}

function bind(writer: ValueWriter, type: string, value: unknown): void {
  if (type === 'text') writer.text(value as string);
  else if (type === 'uuid') writer.uuid(value as RunId);
  else writer.int8(value as number);
}

const GROUPS: Filled<WholeGroupColumns> = {
  table: 'groups',
  key: { partition: 'int', seq: 'bigint' },
  checksums: { checksum: (row) => groupChecksum({ ...toGroupHead(row), body: row.body }) },
};

function runOf(row: RunColumns) {
  const { id, tenant, job, job_version: jobVersion, head, input, input_bytes: inputBytes } = row;
  const keys = parseKeys(row.keys);
  return { id, tenant, job, jobVersion, class: row.class as Class, head, input, inputBytes, keys };
}

const RUNS: Filled<RunColumns> = {
  table: 'runs',
  key: { tenant: 'text', id: 'uuid' },
  checksums: {
    checksum: (row) =>
      row.count === null || row.body === null
        ? runChecksum(runOf(row), row.keys)
        : runBlockChecksum(runOf(row), readSizes(row.body, row.count)),
    input_checksum: (row) =>
      row.count === null || row.body === null
        ? payloadChecksum(row.input)
        : inputsChecksum(
            readRunBlock(runOf(row), { count: row.count, body: row.body, withInput: true }),
          ),
  },
};

const ENDS: Filled<EndColumns> = {
  table: 'ends',
  key: { id: 'uuid' },
  checksums: {
    checksum: (row) =>
      row.count === null || row.body === null
        ? endChecksum({ ...row, endedAtMs: row.ended_at_ms })
        : endBlockChecksum(row, row.count),
    output_checksum: (row) =>
      row.count === null || row.body === null
        ? payloadChecksum(row.output)
        : endsChecksum(readEndBlock(row, { count: row.count, body: row.body })),
  },
};

interface KeyRow {
  readonly tenant: string;
  readonly key: string;
  readonly run: RunId;
  readonly inbox: string | null;
  readonly at_ms: number | null;
}

const KEYS: Filled<KeyRow> = {
  table: 'keys',
  key: { tenant: 'text', key: 'text' },
  checksums: {
    checksum: ({ tenant, key, run, inbox, at_ms: atMs }) =>
      keyChecksum({ tenant, key, run, entry: inbox, atMs }),
  },
};

const PARKED: Filled<PlaceColumns> = {
  table: 'parked',
  key: { partition: 'int', lane: 'text', sort: 'bigint', id: 'uuid' },
  checksums: { checksum: (row) => parkedChecksum(row.partition, row) },
};

const INBOX: Filled<InboxColumns> = {
  table: 'inbox',
  key: { id: 'text' },
  checksums: {
    checksum: (row) => inboxChecksum({ ...row, class: row.class as Class, atMs: row.at_ms }),
  },
};

const DEFINITIONS: Filled<DefinitionColumns> = {
  table: 'definitions',
  key: { tenant: 'text', kind: 'text', name: 'text', version: 'int' },
  checksums: { checksum: (row) => definitionChecksum(row) + row.at_ms },
};

interface ChunkColumns {
  readonly partition: number;
  readonly seq: number;
  readonly number: number;
  readonly body: Uint8Array;
}

interface HeadColumns {
  readonly partition: number;
  readonly epoch: number;
  readonly seq: number;
}

function checkpoints(table: string, chunks: readonly ChunkColumns[]): Filled<HeadColumns> {
  const chunksOf = ({ partition, seq }: HeadColumns): Uint8Array[] =>
    chunks
      .filter((chunk) => chunk.partition === partition && chunk.seq === seq)
      .sort((a, b) => a.number - b.number)
      .map(({ body }) => body);
  return {
    table,
    key: { partition: 'int' },
    checksums: {
      checksum: (row) => {
        const { partition, epoch, seq } = row;
        return checkpointChecksum({ partition, epoch, seq, chunks: chunksOf(row) });
      },
    },
  };
}
