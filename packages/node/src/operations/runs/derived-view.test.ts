import { type Attempt, parseRunId, type RunId, seededRandom } from '@signalbox/engine';
import type { FailurePolicy, RunView, TaskDefinition } from '@signalbox/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readImports } from '../../../../../tools/boundaries/imports.ts';
import { readPackages, readSourceTree } from '../../../../../tools/boundaries/source-tree.ts';
import { ApiError } from '../../errors/api-error.ts';
import { Client } from '../../feed/testing/client.ts';
import { approveTask, getRun, listRuns, pauseRun, resumeRun, watchRun } from '../index.ts';
import { recomputeRun } from '../testing/recomputed-run.ts';
import { bytes, caller, HOLD, SmallNode } from '../testing/small-node.ts';

const STALE_MAX_MS = 5_000;

/** One that owns every partition, and one that owns none and reads the same store. */
let owner: SmallNode;
let other: SmallNode;
beforeEach(async () => {
  owner = await SmallNode.start();
  other = SmallNode.idle({ disk: owner.disk });
  owner.attach('w', HOLD, { total: { slots: 3 } });
});
afterEach(async () => {
  await other.stop();
  await owner.stop();
});

type Dice = ReturnType<typeof seededRandom>;
type Task = TaskDefinition & { name: string };

function randomTasks(dice: Dice): Task[] {
  return Array.from({ length: 4 + dice.int(6) }, (_, i): Task => {
    const after = Array.from({ length: Math.min(i, dice.int(3)) }, () => `t${dice.int(i)}`);
    const of = { name: `t${i}`, ...(i === 0 ? {} : { after: [...new Set(after)] }) };
    const from = after[0];
    const work = {
      ...of,
      handler: 'graph',
      retry: { maxAttempts: 1, onExhausted: 'fail' as const },
    };
    const kind = i === 0 ? 0 : dice.int(7);
    if (kind === 1) return { ...of, sleep: { for: 20 } };
    if (kind === 2) return { ...of, approval: {} };
    if (kind === 3 && from !== undefined) return { ...work, fanOut: { from } };
    if (kind === 4) return { ...work, when: dice.int(2) === 0 ? 'true' : 'false' };
    return { ...work, ifParentSkipped: dice.int(2) === 0 ? 'skip' : 'run' };
  });
}

const POLICIES: FailurePolicy[] = [
  'FAIL_FAST',
  'FAIL_AFTER_ALL',
  'SKIP_FAILED',
  'CONTINUE',
  'PAUSE',
];

/** Something happens to the run, whatever its state allows. */
async function happen(dice: Dice, id: string, held: Attempt[]): Promise<void> {
  const view = await getRun(owner.context, caller(), { id });
  const of = { id };
  if (view.state === 'PAUSED') return void (await resumeRun(owner.context, caller(), of));
  const asked = view.tasks.find(({ state, wait, runAt }) => state === 'PENDING' && wait && !runAt);
  if (asked !== undefined && dice.int(2) === 0) {
    const answer = { id, task: asked.name, decision: 'approve' as const };
    return void (await approveTask(owner.context, caller(), answer));
  }
  if (dice.int(12) === 0) return void (await pauseRun(owner.context, caller(), of));
  const [attempt] = held.splice(dice.int(Math.max(1, held.length)), 1);
  if (attempt === undefined) return;
  const fails = dice.int(10) === 0;
  const output = bytes(JSON.stringify({ total: dice.int(4) }));
  owner.finish(
    attempt,
    fails ? { kind: 'failed', error: 'no', class: 'permanent' } : { kind: 'succeeded', output },
  );
}

/** A sleep may end, and the run with it, between the look and the deed. */
function unlessTooLate(error: unknown): void {
  const code = error instanceof ApiError ? error.code : '';
  if (code !== 'not_running' && code !== 'conflict') throw error;
}

const statesOf = ({ state, tasks }: RunView) => ({
  state,
  tasks: Object.fromEntries(tasks.map((task) => [task.name, task.state])),
});

/** Asks until the view is what the journal says; answers how long that took. */
async function agreed(of: { node: SmallNode; id: string; tasks: Task[] }): Promise<number> {
  const { node, id, tasks } = of;
  const began = performance.now();
  for (;;) {
    const view = await getRun(node.context, caller(), { id });
    const journal = await recomputeRun({ store: owner.disk, id: parseRunId(id) as RunId, tasks });
    const [listed] = (await listRuns(node.context, caller(), {})).items;
    const expected = { state: journal.state, tasks: Object.fromEntries(journal.tasks) };
    const shown = statesOf(view);
    // The task that ended last has no fact of its own: the end of its run tells of it.
    if (view.endedAt !== null) {
      for (const [name, state] of journal.tasks) {
        if (['RUNNING', 'ASSIGNED', 'PENDING'].includes(state)) delete shown.tasks[name];
        if (['RUNNING', 'ASSIGNED', 'PENDING'].includes(state)) delete expected.tasks[name];
      }
    }
    const tookMs = performance.now() - began;
    if (JSON.stringify(shown) === JSON.stringify(expected) && listed?.state === view.state) {
      return tookMs;
    }
    if (tookMs > STALE_MAX_MS)
      expect({ ...shown, listed: listed?.state }).toEqual({ ...expected, listed: view.state });
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('DAG-24 the view of a run', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    'is what the journal says, on its owner and on another node, at any moment of a random graph (%i)',
    async (seed) => {
      const dice = seededRandom(seed);
      const tasks = randomTasks(dice);
      const failurePolicy = POLICIES[dice.int(5)] as FailurePolicy;
      await owner.define('graph', { tasks, failurePolicy });
      const id = await owner.submit({ job: 'graph' });
      const taken: Attempt[] = [];
      const stale = { owner: 0, other: 0 };
      for (let step = 0, known = 0; step < 60; step++) {
        taken.push(...owner.attempts.slice(known));
        known = owner.attempts.length;
        stale.owner = Math.max(stale.owner, await agreed({ node: owner, id, tasks }));
        if (dice.int(4) === 0) {
          stale.other = Math.max(stale.other, await agreed({ node: other, id, tasks }));
        }
        if ((await getRun(owner.context, caller(), { id })).endedAt !== null) break;
        await happen(dice, id, taken).catch(unlessTooLate);
      }
      stale.other = Math.max(stale.other, await agreed({ node: other, id, tasks }));
      expect(stale.owner).toBeLessThan(STALE_MAX_MS);
      expect(stale.other).toBeLessThan(STALE_MAX_MS);
    },
    60_000,
  );

  it('is streamed by another node as by its owner, to the end, and gone on with anywhere', async () => {
    const tasks: Task[] = [
      { name: 'split', handler: 'graph' },
      { name: 'each', handler: 'graph', after: ['split'], fanOut: { from: 'split' } },
    ];
    await owner.define('graph', { tasks });
    const id = await owner.submit({ job: 'graph' });
    const watch = async (node: SmallNode, lastEventId?: string): Promise<Client> => {
      const client = new Client();
      const more = lastEventId === undefined ? {} : { lastEventId };
      await watchRun(node.context, caller(), { id, sink: () => client, ...more });
      return client;
    };
    const [here, there] = [await watch(owner), await watch(other)];
    for (const [count, output] of [
      [1, '2'],
      [3, '1'],
    ] as const) {
      await owner.arrived(count);
      for (const attempt of owner.attempts.slice(count === 1 ? 0 : 1)) {
        owner.finish(attempt, { kind: 'succeeded', output: bytes(output) });
      }
    }
    await Promise.all([here.closed, there.closed]);
    const told = ({ messages }: Client) =>
      messages.filter(({ kind }) => kind !== 'state').map(({ kind, data }) => [kind, data]);
    expect(told(there)).toEqual(told(here));
    expect(there.messages.at(-1)?.kind).toBe('end');
    expect(told(here).flatMap(([, data]) => data.task ?? [])).toContain(`${id}:each_chunk_1`);
    const third = there.messages[3];
    const again = await watch(other, third?.id);
    await again.closed;
    expect(told(again)).toEqual(told(here).slice(3));
  });

  it('is sent with its end by another node, also right after a reading from before the end', async () => {
    await owner.define('graph', { tasks: [{ name: 'a', handler: 'graph' }] });
    const id = await owner.submit({ job: 'graph' });
    await owner.arrived(1);
    const first = new Client();
    await watchRun(other.context, caller(), { id, sink: () => first });
    await first.received(1);
    first.close();
    owner.finish(owner.attempts[0] as Attempt, { kind: 'succeeded', output: null });
    await getRun(owner.context, caller(), { id, waitMs: 20_000 });
    const again = new Client();
    const { lastEventId } = first;
    await watchRun(other.context, caller(), { id, lastEventId, sink: () => again });
    await again.closed;
    expect(again.messages.map(({ kind }) => kind).slice(-2)).toEqual(['runEnded', 'end']);
  });

  it('is waited for on another node too', async () => {
    await owner.define('graph', { tasks: [{ name: 'a', handler: 'graph' }] });
    const id = await owner.submit({ job: 'graph' });
    await owner.arrived(1);
    const waited = getRun(other.context, caller(), { id, waitMs: 20_000 });
    owner.finish(owner.attempts[0] as Attempt, { kind: 'succeeded', output: null });
    expect(await waited).toMatchObject({ state: 'SUCCEEDED' });
  });

  it('is read by nobody who decides: neither engine nor commit loop can reach it', () => {
    const tree = readSourceTree();
    const decides = [...tree].filter(([file]) =>
      /^packages\/(engine\/src|node\/src\/loop)\//.test(file),
    );
    const imports = readImports(new Map(decides), readPackages(tree));
    const reach = new Set(['packages/engine/src/engine.ts', 'packages/node/src/loop/loop.ts']);
    for (const from of reach) {
      for (const each of imports) {
        if (each.from !== from || each.isTypeOnly || each.target.kind !== 'file') continue;
        reach.add(each.target.file);
      }
    }
    const views = [
      'packages/node/src/loop/reader.ts',
      'packages/node/src/replica/partition-replicas.ts',
      'packages/node/src/operations/runs/run-view.ts',
      'packages/node/src/feed/run-feed.ts',
    ];
    for (const view of views) expect(tree.has(view), view).toBe(true);
    expect(views.filter((view) => reach.has(view))).toEqual([]);
    expect(reach.size).toBeGreaterThan(50);
  });
});
