import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatRunId, type RunHead } from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import { createPostgresStore } from '@signalbox/store/postgres';
import { createSqliteStore } from '@signalbox/store/sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { createDatabase, hasPostgres } from '../../../../tools/testing/postgres.ts';
import { type Running, World } from '../testing/child.ts';

const KEY = randomBytes(32).toString('hex');
/** Several pairs of jobs: their partitions lie on this node and on that. */
const PAIRS = 4;
const OUTERS_EACH = 3;

let world = new World();
const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  world.remove();
  world = new World();
});

interface Node {
  readonly process: Running;
  readonly url: string;
}

async function start(flags: readonly string[]): Promise<Node> {
  const args = ['node', '--port', '0', '--log-level', 'warn', ...flags];
  const process = world.start(args, { SIGNALBOX_KEY: KEY });
  const [, url = ''] = await process.printed(/node is listening at (\S+)/);
  return { process, url };
}

async function kill({ process }: Node): Promise<void> {
  process.child.kill('SIGKILL');
  await process.ended;
}

/** Asks whichever node owns what it is about; answers once one has said yes. */
async function ask(nodes: readonly Node[], path: string, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  for (;;) {
    for (const { url } of nodes) {
      const answer = await fetch(`${url}/api/v1${path}`, request);
      if (answer.ok) return answer.json();
      const text = await answer.text();
      expect(['not_owner', 'unavailable'], text).toContain(JSON.parse(text).error.code);
    }
  }
}

/** Runs that wait for others: a person answers those. */
async function define({ url }: Node): Promise<void> {
  for (let i = 0; i < PAIRS; i++) {
    const inner = `job: inner${i}\ntasks: [{ name: ask, approval: {} }]\n`;
    const outer = `job: outer${i}\ntasks: [{ name: n, run: { job: inner${i} } }]\n`;
    writeFileSync(join(world.folder, `job${i}.yaml`), `${inner}---\n${outer}`);
    const access = { SIGNALBOX_URL: url, SIGNALBOX_KEY: KEY };
    const applied = await world.call(['apply', '-f', `job${i}.yaml`, '--yes'], access);
    expect(applied.code, applied.err).toBe(0);
  }
}

const OUTERS = Array.from({ length: PAIRS * OUTERS_EACH }, (_, i) => ({
  job: `outer${i % PAIRS}`,
}));

interface Seen {
  readonly id: string;
  readonly job: string;
  readonly head: RunHead;
  readonly state: string | null;
}

/** What became durable; looks until it is as wanted. */
async function until(store: Store, holds: (inner: Seen[], outer: Seen[]) => boolean) {
  for (;;) {
    const rows = await store.listRuns({ tenant: 'default', before: null, limit: 1_000 });
    const runs = rows.map(({ run, end }) => {
      const { id, job, head } = run;
      return { id: formatRunId(id), job, head: JSON.parse(head), state: end?.state ?? null };
    });
    const inner = runs.filter(({ job }) => job.startsWith('inner'));
    const outer = runs.filter(({ job }) => job.startsWith('outer'));
    if (holds(inner, outer)) return { inner, outer };
  }
}

const haveBegun = (inner: Seen[]) => inner.length >= OUTERS.length;
const haveEnded = (inner: Seen[], outer: Seen[]) =>
  [...inner, ...outer].every(({ state }) => state !== null);

/** The first half of the outer runs is cancelled, the nested runs of the others are approved. */
async function endAll(nodes: readonly Node[], inner: readonly Seen[]): Promise<Set<string>> {
  const cancelled = new Set<string>();
  for (const [i, { id, head }] of inner.entries()) {
    const of = head.nested?.of ?? '';
    if (i >= inner.length / 2) {
      await ask(nodes, `/runs/${id}/tasks/ask/approval`, { decision: 'approve' });
      continue;
    }
    cancelled.add(of);
    await ask(nodes, `/runs/${of}/cancel`, {});
  }
  return cancelled;
}

function expectTogether(
  { inner, outer }: { inner: Seen[]; outer: Seen[] },
  cut: Set<string>,
): void {
  expect(outer).toHaveLength(OUTERS.length);
  // One nested run for each wait, whatever died in between.
  expect(inner.map(({ head }) => head.nested?.of).sort()).toEqual(outer.map(({ id }) => id).sort());
  const stateOf = (id = '') => (cut.has(id) ? 'CANCELLED' : 'SUCCEEDED');
  for (const { id, state } of outer) expect(state).toBe(stateOf(id));
  for (const { head, state } of inner) expect(state).toBe(stateOf(head.nested?.of));
}

describe('nodes that are killed while runs wait for others', () => {
  it('on a file, right after every answer: a wait has one nested run, and they end together', async () => {
    const path = join(world.folder, 'signalbox.sqlite');
    const store = await createSqliteStore({ path });
    stores.push(store);
    await store.migrate();
    const flags = ['--store', `file:${path}`];
    const first = await start(flags);
    await define(first);
    await ask([first], '/runs/batch', { items: OUTERS });
    await kill(first);
    const second = await start(flags);
    const { inner } = await until(store, haveBegun);
    await kill(second);
    const third = await start(flags);
    const cut = await endAll([third], inner);
    await kill(third);
    const last = await start(flags);
    expectTogether(await until(store, haveEnded), cut);
    expect((await last.process.stop()).code).toBe(0);
  }, 240_000);

  it.skipIf(!hasPostgres)(
    'on PostgreSQL, one of two right after the last answer: what it owed is heard by the other',
    async () => {
      const url = await createDatabase();
      const store = await createPostgresStore({ url });
      stores.push(store);
      await store.migrate();
      const flags = ['--store', url];
      const nodes = [await start(flags), await start(flags)] as const;
      await define(nodes[0]);
      for (const outer of OUTERS) await ask(nodes, '/runs', outer);
      const { inner } = await until(store, haveBegun);
      const cut = await endAll(nodes, inner);
      await kill(nodes[0]);
      expectTogether(await until(store, haveEnded), cut);
      expect((await nodes[1].process.stop()).code).toBe(0);
    },
    240_000,
  );
});
