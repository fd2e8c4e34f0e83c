// How the facts of a task's life are best written to PostgreSQL: every fact a row, or the
// transitions of a whole group packed into one record with only the submission and the end as rows.
//
//   node bench/core/ways-of-writing.ts [rounds]
//
// One connection, commits of 500 submissions (200 bytes of input) and 500 ends (80 bytes of detail,
// 20 of output), durable, one after the other. Ways take turns; the table shows medians of rounds.
import type { RunId } from '@signalbox/engine';
import pg from 'pg';
import { Connection } from '../../packages/store/src/postgres/connection/connection.ts';
import { type Step, silentStep } from '../../packages/store/src/postgres/connection/step.ts';
import { Oid, type ValueWriter } from '../../packages/store/src/postgres/wire/value-writer.ts';
import { startPostgres } from '../../tools/postgres.ts';
import { median, percentile } from './figures.ts';

const BATCH = 500;
const WARM_MS = 1_000;
const MEASURE_MS = 3_000;
/** Commits between a submission and its end, so that an end does not meet a page still hot. */
const LAG = 10;
/** What a transition takes when packed: a number, a worker, a time, a few flags. */
const PACKED_BYTES = 40;

interface Task {
  readonly id: RunId;
  readonly tenant: string;
  readonly input: Uint8Array;
}

interface Way {
  readonly name: string;
  readonly tenants: number;
  readonly runsKey: string;
  steps(commit: { seq: number; submitted: readonly Task[]; ended: readonly Task[] }): Step[];
}

const encoder = new TextEncoder();
const DETAIL = '[{"n":1,"w":"worker-17","s":1763200000000,"e":1763200000100,"o":"ok"}]'.padEnd(80);
const OUTPUT = encoder.encode('{"ok":true,"n":1234}');
const NO_BODY = new Uint8Array(0);
const TRANSITIONS = packedBody(PACKED_BYTES);
const WHOLE_LIVES = packedBody(PACKED_BYTES + 200 + DETAIL.length + OUTPUT.length + 32);

const packed = (each: { seq: number; submitted: readonly Task[]; ended: readonly Task[] }) => [
  groups(each.seq, TRANSITIONS),
  runs(each.submitted),
  ends(each.ended),
];

const WAYS: readonly Way[] = [
  {
    name: 'rows: submission, assignment and end',
    tenants: 10,
    runsKey: 'tenant, id',
    steps: (each) => [
      groups(each.seq, NO_BODY),
      runs(each.submitted),
      facts(each.seq, each.ended),
      ends(each.ended),
    ],
  },
  {
    name: 'packed: submission and end as rows',
    tenants: 10,
    runsKey: 'tenant, id',
    steps: packed,
  },
  { name: 'packed, one tenant', tenants: 1, runsKey: 'tenant, id', steps: packed },
  { name: 'packed, 200 tenants', tenants: 200, runsKey: 'tenant, id', steps: packed },
  { name: 'packed, runs not listed by tenant', tenants: 200, runsKey: 'id', steps: packed },
  {
    name: 'journal only: nothing is found by id',
    tenants: 10,
    runsKey: 'tenant, id',
    steps: ({ seq }) => [groups(seq, WHOLE_LIVES)],
  },
];

const TABLES = (runsKey: string): string => `
drop schema if exists ways cascade;
create schema ways;
create table ways.groups (seq bigint not null, partition int not null, body bytea not null,
  primary key (partition, seq)) partition by range (seq);
create table ways.groups_0 partition of ways.groups for values from (0) to (1000000);
alter table ways.groups_0 alter column body set storage external;
create table ways.runs (id uuid not null, job_version int not null, input_bytes int not null,
  class smallint not null, tenant text collate "C" not null, job text collate "C" not null,
  head text not null, input bytea, primary key (${runsKey})) partition by range (id);
create table ways.runs_0 partition of ways.runs for values from (minvalue) to (maxvalue);
create table ways.ends (id uuid not null, ended_at_ms bigint not null,
  tenant text collate "C" not null, state text not null, detail text not null, output bytea,
  primary key (id)) partition by range (id);
create table ways.ends_0 partition of ways.ends for values from (minvalue) to (maxvalue);
create table ways.facts (id uuid not null, seq bigint not null, at_ms bigint not null,
  partition int not null, number int not null, worker int not null, kind smallint not null,
  primary key (partition, seq, number)) partition by range (seq);
create table ways.facts_0 partition of ways.facts for values from (0) to (1000000);
checkpoint;`;

function packedBody(bytesPerTask: number): Uint8Array {
  return Uint8Array.from({ length: bytesPerTask * BATCH }, (_, i) => (i * 7919 + (i >> 3)) & 255);
}

function groups(seq: number, body: Uint8Array): Step {
  const text = 'insert into ways.groups (partition, seq, body) values ($1, $2, $3)';
  return silentStep({ name: 'groups', text }, 3, (w) => {
    w.int4(1);
    w.int8(seq);
    w.data(body);
  });
}

function runs(tasks: readonly Task[]): Step {
  const text = `insert into ways.runs
    (id, tenant, job, job_version, class, head, input, input_bytes)
    select unnest($1::uuid[]), unnest($2::text[]), unnest($3::text[]), unnest($4::int[]),
      unnest($5::smallint[]), unnest($6::text[]), unnest($7::bytea[]), unnest($8::int[])`;
  return silentStep({ name: 'runs', text }, 8, (w) => {
    w.uuids(tasks.map(({ id }) => id));
    w.texts(tasks.map(({ tenant }) => tenant));
    w.texts(tasks.map(() => 'render.thumbnail'));
    w.int4s(tasks.map(() => 3));
    column(w, Oid.int2, { tasks, write: () => w.int2(1) });
    w.texts(tasks.map(() => ''));
    column(w, Oid.bytea, { tasks, write: ({ input }) => w.data(input) });
    w.int4s(tasks.map(({ input }) => input.length));
  });
}

function ends(tasks: readonly Task[]): Step {
  const text = `insert into ways.ends (id, tenant, state, ended_at_ms, detail, output)
    select unnest($1::uuid[]), unnest($2::text[]), unnest($3::text[]), unnest($4::bigint[]),
      unnest($5::text[]), unnest($6::bytea[])`;
  return silentStep({ name: 'ends', text }, 6, (w) => {
    w.uuids(tasks.map(({ id }) => id));
    w.texts(tasks.map(({ tenant }) => tenant));
    w.texts(tasks.map(() => 'SUCCEEDED'));
    w.int8s(tasks.map(({ id }) => id.ms + 100));
    w.texts(tasks.map(() => DETAIL));
    column(w, Oid.bytea, { tasks, write: () => w.data(OUTPUT) });
  });
}

function facts(seq: number, tasks: readonly Task[]): Step {
  const text = `insert into ways.facts (id, seq, at_ms, partition, number, worker, kind)
    select unnest($1::uuid[]), $2, unnest($3::bigint[]), 1, unnest($4::int[]), unnest($5::int[]), 2`;
  return silentStep({ name: 'facts', text }, 5, (w) => {
    w.uuids(tasks.map(({ id }) => id));
    w.int8(seq);
    w.int8s(tasks.map(({ id }) => id.ms + 5));
    w.int4s(tasks.map((_, i) => i));
    w.int4s(tasks.map((_, i) => i % 1_000));
  });
}

function column(
  w: ValueWriter,
  oid: number,
  rows: { tasks: readonly Task[]; write: (task: Task) => void },
): void {
  w.beginArray(oid, rows.tasks.length);
  for (const task of rows.tasks) rows.write(task);
  w.endArray();
}

interface Figures {
  readonly tasksPerSecond: number;
  readonly walBytesPerTask: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function measure(url: string, way: Way): Promise<Figures> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  for (const statement of TABLES(way.runsKey).split(';')) await admin.query(statement);
  const timeouts = { connectTimeoutMs: 5_000, responseTimeoutMs: 60_000 };
  const connection = await Connection.open({ url, prepare: true, ...timeouts });
  const writer = new Lives(way);
  const startMs = performance.now();
  while (performance.now() - startMs < WARM_MS) await writer.commit(connection);
  const walBefore = await walPosition(admin);
  const latencies: number[] = [];
  const measuredFromMs = performance.now();
  while (performance.now() - measuredFromMs < MEASURE_MS) {
    latencies.push(await writer.commit(connection));
  }
  const walBytes = (await walPosition(admin)) - walBefore;
  const tasks = latencies.length * BATCH;
  const seconds = latencies.reduce((sum, each) => sum + each, 0) / 1_000;
  await connection.close();
  await admin.end();
  latencies.sort((a, b) => a - b);
  return {
    tasksPerSecond: Math.round(tasks / seconds),
    walBytesPerTask: Math.round(walBytes / tasks),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

/** The tasks of one measurement: submitted now, ended some commits later. */
class Lives {
  private readonly way: Way;
  private readonly waiting: Task[][] = [];
  private readonly baseMs = Date.now();
  private count = 0;
  private seq = 0;

  constructor(way: Way) {
    this.way = way;
    for (let i = 0; i < LAG; i++) this.waiting.push(this.submit());
  }

  /** How long the commit took, encoding included. */
  async commit(connection: Connection): Promise<number> {
    const submitted = this.submit();
    this.waiting.push(submitted);
    const ended = this.waiting.shift() ?? [];
    const startMs = performance.now();
    const outcome = await connection.run(this.way.steps({ seq: ++this.seq, submitted, ended }));
    if (outcome.kind !== 'done') throw outcome.error;
    return performance.now() - startMs;
  }

  private submit(): Task[] {
    return Array.from({ length: BATCH }, () => {
      const number = this.count++;
      const ms = this.baseMs + Math.floor(number / 60);
      const tenant = `tenant-${(number * 7919) % this.way.tenants}`;
      const input = encoder.encode(`{"id":${number},"url":"https://example.invalid/`.padEnd(200));
      return { id: { ms, partition: 1, seq: number }, tenant, input };
    });
  }
}

async function walPosition(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query(`select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes`);
  return Number(rows[0]?.bytes);
}

const rounds = Number(process.argv[2] ?? 3);
const server = await startPostgres({ settings: { max_wal_size: '4GB' } });
const results = WAYS.map((): Figures[] => []);
for (let round = 0; round < rounds; round++) {
  for (const [i, way] of WAYS.entries()) results[i]?.push(await measure(server.url, way));
}
await server.stop();

const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |\n`;
process.stdout.write(line(['way', 'tasks/s [range]', 'WAL bytes per task', 'p50 ms', 'p99 ms']));
process.stdout.write(line(['---', '---', '---', '---', '---']));
for (const [i, way] of WAYS.entries()) {
  const of = (name: keyof Figures): number[] => (results[i] ?? []).map((figures) => figures[name]);
  const rates = of('tasksPerSecond');
  const range = `${median(rates)} [${Math.min(...rates)}–${Math.max(...rates)}]`;
  process.stdout.write(
    line([
      ...[way.name, range, median(of('walBytesPerTask'))],
      ...[median(of('p50Ms')), median(of('p99Ms'))],
    ]),
  );
}
