import { formatRunId } from '@signalbox/engine';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createDatabase,
  describePostgres,
  hasPostgres,
} from '../../../../../tools/testing/postgres.ts';
import { assertProperty } from '../../../../../tools/testing/property.ts';
import { StoreError } from '../../errors.ts';
import { Connection } from '../connection/connection.ts';
import { step } from '../connection/step.ts';
import { Oid, ValueWriter } from './value-writer.ts';

const url = hasPostgres ? await createDatabase() : '';

const text = fc.string({ unit: 'binary', maxLength: 80 }).filter((it) => !it.includes('\0'));
const id = fc.record({
  ms: fc.nat(2 ** 48 - 1),
  partition: fc.nat(4095),
  seq: fc.maxSafeNat(),
});
const rows = fc.record({
  texts: fc.array(text),
  ints: fc.array(fc.integer()),
  bigs: fc.array(fc.maxSafeInteger()),
  ids: fc.array(id),
  datas: fc.array(fc.option(fc.uint8Array())),
  small: fc.integer({ min: -(2 ** 15), max: 2 ** 15 - 1 }),
  single: fc.option(text),
  flag: fc.boolean(),
});

const ECHO = {
  name: 'echo',
  text: `select array_to_json($1::text[])::text as texts, array_to_json($2::int[])::text as ints,
    array_to_json($3::bigint[])::text as bigs, array_to_json($4::uuid[])::text as ids,
    array_to_json(array(select encode(x, 'hex') from unnest($5::bytea[]) with ordinality u(x, n)
      order by n))::text as datas,
    $6::smallint as small, $7::text as single, $8::boolean as flag`,
};

describePostgres('what the writer sends', () => {
  let connection: Connection;
  beforeAll(async () => {
    const timeouts = { connectTimeoutMs: 5_000, responseTimeoutMs: 5_000 };
    connection = await Connection.open({ url, prepare: true, ...timeouts });
  });
  afterAll(() => connection?.close());

  it('is what the server reads', async () => {
    await assertProperty(
      fc.asyncProperty(rows, async (given) => {
        const [row] = await connection.query<Record<string, string>>(
          step(ECHO, 8, (writer) => {
            writer.texts(given.texts);
            writer.int4s(given.ints);
            writer.int8s(given.bigs);
            writer.uuids(given.ids);
            writer.beginArray(Oid.bytea, given.datas.length);
            for (const data of given.datas) writer.nullableData(data);
            writer.endArray();
            writer.int2(given.small);
            writer.nullableText(given.single);
            writer.bool(given.flag);
          }),
        );
        const list = (name: string): unknown => JSON.parse(row?.[name] ?? 'null');
        expect(list('texts')).toEqual(given.texts);
        expect(list('ints')).toEqual(given.ints);
        expect(list('bigs')).toEqual(given.bigs);
        expect(list('ids')).toEqual(given.ids.map(formatRunId));
        const hex = (data: Uint8Array | null) => data && Buffer.from(data).toString('hex');
        expect(list('datas')).toEqual(given.datas.map(hex));
        expect(row).toMatchObject({ small: given.small, single: given.single, flag: given.flag });
      }),
    );
  });

  it('keeps its place over growth: a large value between small ones', async () => {
    const large = 'ä'.repeat(3_000_000);
    for (const texts of [['a', large, 'b'], ['c']]) {
      const statement = { name: 'lengths', text: 'select array_to_json($1::text[])::text as it' };
      const [row] = await connection.query<{ it: string }>(
        step(statement, 1, (writer) => writer.texts(texts)),
      );
      expect(JSON.parse(row?.it ?? '')).toEqual(texts);
    }
  });
});

describe('a number that does not fit', () => {
  const cases: [string, (writer: ValueWriter) => void][] = [
    ['int2', (writer) => writer.int2(40_000)],
    ['int4', (writer) => writer.int4(2 ** 31)],
    ['int4 with a fraction', (writer) => writer.int4(0.5)],
    ['int8', (writer) => writer.int8(2 ** 53)],
    ['int8 that is no number', (writer) => writer.int8(Number.NaN)],
  ];
  it.each(cases)('is refused as %s', (_name, write) => {
    expect(() => write(new ValueWriter())).toThrow(StoreError);
  });
});
