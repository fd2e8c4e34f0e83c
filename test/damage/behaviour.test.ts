import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseIdBytes, readRunId } from '@signalbox/engine';
import { makeLog } from '@signalbox/node/log';
import {
  defineJob,
  diagnoseTask,
  examine,
  getRun,
  listRuns,
  submitRuns,
} from '@signalbox/node/operations';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Box, CALLER } from './box.ts';

let folder: string;
let path: string;
let address: string;
const boxes: Box[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-damaged-'));
  path = join(folder, 'store.db');
  address = `file:${path}`;
});

afterEach(async () => {
  for (const box of boxes.splice(0)) await box.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(): Promise<Box> {
  const box = await Box.open(address);
  boxes.push(box);
  return box;
}

async function close(): Promise<void> {
  for (const box of boxes.splice(0)) await box.close();
}

async function submit(box: Box, job: string): Promise<string> {
  const [answer] = await submitRuns(box.node.context, CALLER, { items: [{ job }] });
  return (answer as { id: string }).id;
}

function change(sql: string, ...values: (string | number)[]): void {
  const db = new DatabaseSync(path);
  db.prepare(sql).run(...values);
  db.close();
}

describe('a damaged group', () => {
  it('stops its partition alone; why and doctor say so', async () => {
    const before = await open();
    await before.define();
    const id = await submit(before, 'echo');
    const { partition } = readRunId(parseIdBytes(id));
    await close();
    change(
      'update groups_0 set body = substr(body, 1, 9) where partition = ? and seq = 2',
      partition,
    );

    const box = await open();
    const { context } = box.node;
    expect([...context.loop.stoppedPartitions.keys()]).toEqual([partition]);
    const why = await diagnoseTask(context, CALLER, { id: `${id}:main` });
    expect(why).toMatchObject({ reason: 'PARTITION_STOPPED', numbers: { partition } });
    const found = await examine(context, CALLER, {});
    expect(found).toMatchObject({
      status: 'attention',
      checks: { store: { ok: true }, partitions: { ok: false }, damagedRows: { ok: false } },
      damagedRows: [{ kind: 'group', key: `${partition}/2`, partition }],
    });
    // Lists go on without its live runs, which are refused with the reason.
    expect((await listRuns(context, CALLER, {})).items).toEqual([]);
    await expect(getRun(context, CALLER, { id })).rejects.toMatchObject({ code: 'damaged' });
    // Jobs of other partitions run.
    await box.work();
    const names = Array.from({ length: 12 }, (_, n) => `job-${n}`);
    let ended = 0;
    for (const name of names) {
      await defineJob(context, CALLER, { name, definition: { tasks: [{ handler: 'one' }] } });
      const other = await submit(box, name);
      if (readRunId(parseIdBytes(other)).partition === partition) continue;
      expect((await box.wait(other)).state).toBe('SUCCEEDED');
      ended++;
    }
    expect(ended).toBeGreaterThan(0);
  });
});

describe('a damaged job version', () => {
  it('sets aside its open runs, which go on when it has been restored', async () => {
    const before = await open();
    await before.define();
    const [id, other] = [await submit(before, 'echo'), await submit(before, 'other')];
    await close();
    change(`update definitions set body = '{' || body where name = 'echo'`);

    const box = await open();
    await box.work();
    await expect(box.read(id)).rejects.toMatchObject({ code: 'damaged' });
    expect((await box.wait(other)).state).toBe('SUCCEEDED');
    await expect(submit(box, 'echo')).rejects.toMatchObject({ code: 'damaged' });
    // A new version repairs the job, but not the runs of the damaged one.
    await box.define();
    expect((await box.wait(await submit(box, 'echo'))).state).toBe('SUCCEEDED');
    await expect(box.read(id)).rejects.toMatchObject({ code: 'damaged' });
    await close();

    change(`update definitions set body = substr(body, 2) where name = 'echo' and version = 1`);
    const after = await open();
    await after.work();
    expect((await after.wait(id)).state).toBe('SUCCEEDED');
  });
});

describe('a damaged input', () => {
  it('fails its task with the reason', async () => {
    const before = await open();
    await before.define();
    const items = [{ job: 'echo', input: Buffer.from('{"n":1}') }];
    const [answer] = await submitRuns(before.node.context, CALLER, { items });
    const { id } = answer as { id: string };
    await close();
    const db = new DatabaseSync(path);
    const segments = db
      .prepare("select name from sqlite_master where name glob 'runs_[0-9]*'")
      .all() as { name: string }[];
    for (const { name } of segments) db.exec(`update ${name} set input = x'7b'`);
    db.close();

    const box = await open();
    await box.work();
    const run = await box.wait(id).catch(String);
    expect(JSON.stringify(run)).toMatch(/damaged/);
  });
});

it('a damaged row is logged and counted once', async () => {
  const before = await open();
  await before.define();
  await close();
  change(`update definitions set author = 'eve' where name = 'pair'`);
  const lines: string[] = [];
  const log = makeLog({ level: 'info', format: 'json', write: (line) => void lines.push(line) });
  const box = await Box.open(address, {}, log);
  boxes.push(box);
  for (let i = 0; i < 2; i++) {
    await expect(submit(box, 'pair')).rejects.toMatchObject({ code: 'damaged' });
  }
  const logged = lines
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'row.damaged');
  expect(logged).toEqual([
    expect.objectContaining({ row: 'definition', key: '["default","job","pair",1]' }),
  ]);
  const metrics = await box.node.context.metrics.text();
  expect(metrics).toContain('signalbox_damaged_rows_total{kind="definition"} 1');
});
