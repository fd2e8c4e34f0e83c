import {
  Book,
  Engine,
  jobSpec,
  NO_RESOURCES,
  refOf,
  seededRandom,
  type Task,
} from '@signalbox/engine';
import { startNode } from '@signalbox/node';
import { collectGarbage, percentile, rssMb } from './figures.ts';
import { measureSteady, type Rig, startRig } from './loop-lives.ts';
import { openSqlite } from './stores.ts';

const encoder = new TextEncoder();
const range = (count: number) => Array.from({ length: count }, (_, i) => i);

/** What graphs cost: readiness, runs of twenty tasks, very wide runs, and reading a large one. */
export async function measureGraphs(): Promise<Record<string, number>> {
  return {
    // First, so that what it takes of memory is not what others have left.
    ...(await hugeFanOut()),
    ...readiness(),
    ...(await twentyTasks()),
    ...(await wideRun()),
    ...(await readLarge()),
  };
}

/** The completion that releases 1,000 children, in graphs of 10,000 and 100,000 tasks. */
function readiness(): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const [name, size] of [
    ['10k', 10_000],
    ['100k', 100_000],
  ] as const) {
    const times = range(30).map(() => releaseThousand(size));
    times.sort((a, b) => a - b);
    figures[`graphReadyMsP50Of${name}`] = percentile(times, 0.5);
    figures[`graphReadyMsMaxOf${name}`] = percentile(times, 1);
  }
  return figures;
}

function releaseThousand(size: number): number {
  const tasks = [
    { name: 'root' },
    ...range(1_000).map((i) => ({ name: `child${i}`, after: ['root'] })),
    ...range(size - 1_001).map((i) => ({ name: `later${i}`, after: [`child${i % 1_000}`] })),
  ];
  const limits = { readyPerSecond: 1_000_000 };
  const definition = { tasks, limits };
  const spec = jobSpec({ tenant: 't', job: 'j', version: 1, definition });
  // At once: how fast very large runs are handed out is another figure.
  const engine = new Engine({ readyPerSecond: 1_000_000 });
  const random = seededRandom(1);
  engine.apply({ kind: 'takePartition', book: new Book(0, 1) }, 1, random);
  const info = {
    name: 'w',
    instance: 'a',
    zone: 'a',
    labels: {},
    executors: [],
    total: { ...NO_RESOURCES, slots: 1 },
  };
  engine.apply({ kind: 'attachWorker', info, foreignUse: NO_RESOURCES, holds: [] }, 1, random);
  engine.apply({ kind: 'submit', partition: 0, spec, head: {}, input: null }, 1, random);
  engine.schedule(1, random);
  const assign = engine.take(1).effects.find((effect) => effect.kind === 'assign');
  if (assign?.kind !== 'assign') throw new Error('nothing was assigned');
  const ref = refOf(assign.attempt);
  const result = { kind: 'succeeded', output: null } as const;
  const startedAt = process.cpuUsage();
  const at = performance.now();
  engine.apply({ kind: 'finish', worker: 'w', ref, result }, 2, random);
  const { user, system } = process.cpuUsage(startedAt);
  // Processor time, unless the clock on the wall says less: a tick of the former is coarse.
  return Math.min(performance.now() - at, (user + system) / 1_000 || Number.POSITIVE_INFINITY);
}

const TWENTY = {
  limits: { readyPerSecond: 1_000_000 },
  tasks: [
    { name: 'extract' },
    ...range(16).map((i) => ({ name: `part${i}`, after: ['extract'] })),
    { name: 'join', after: range(16).map((i) => `part${i}`) },
    { name: 'load', after: ['join'] },
    { name: 'tell', after: ['load'] },
  ],
};

/** Tasks per second of runs of twenty, beside runs of one, in turns on the same kind of store. */
async function twentyTasks(): Promise<Record<string, number>> {
  const load = { warmMs: 1_000, ms: 4_000, batch: 2_000, inFlight: 8_000 };
  const rates: { single: number[]; graph: number[] } = { single: [], graph: [] };
  for (let round = 0; round < 3; round++) {
    rates.single.push(await steady(null, load));
    rates.graph.push(await steady(TWENTY, { ...load, tasksPerRun: 20 }));
  }
  const middle = (values: number[]) => values.sort((a, b) => a - b)[1] as number;
  const [single, graph] = [middle(rates.single), middle(rates.graph)];
  return {
    graphTasksPerSecond: graph,
    graphSingleTasksPerSecond: single,
    graphToSingleRatio: Math.round((graph / single) * 100) / 100,
  };
}

async function steady(
  definition: typeof TWENTY | null,
  load: Parameters<typeof measureSteady>[1],
): Promise<number> {
  const { store, close } = await openSqlite();
  try {
    const more = definition === null ? {} : { definition };
    const rig = await startRig({ store, workers: 100, tenants: 200, ...more });
    const { livesPerSecond } = await measureSteady(rig, load);
    await rig.stop();
    return livesPerSecond;
  } finally {
    await close();
  }
}

/** A run of 10,000 parallel tasks and a join, and what another tenant notices of it. */
async function wideRun(): Promise<Record<string, number>> {
  const { store, close } = await openSqlite();
  const names = range(10_000).map((i) => `p${i}`);
  const tasks = [...names.map((name) => ({ name })), { name: 'join', after: names }];
  const body = JSON.stringify({ class: 2, tasks });
  const wide = { tenant: 'wide', kind: 'job', name: 'wide', author: 'bench' };
  await store.putDefinition({ ...wide, expectedVersion: 0, body });
  const assignedAt = new Map<number, number>();
  const rig = await startRig({
    store,
    workers: 20,
    tenants: 2,
    slots: 10,
    assigned: ({ run }) => void assignedAt.set(run.seq, performance.now()),
  });
  try {
    const spec = rig.specs[1];
    if (spec === undefined) throw new Error('no job');
    const sample = async (count: number) => {
      const delays: number[] = [];
      for (let i = 0; i < count; i++) {
        const at = performance.now();
        const answer = await rig.loop.execute({
          kind: 'submit',
          partition: 0,
          spec,
          head: {},
          input: null,
        });
        if (answer.kind !== 'accepted') throw new Error('not accepted');
        while (!assignedAt.has(answer.seq)) await new Promise((resolve) => setImmediate(resolve));
        delays.push((assignedAt.get(answer.seq) as number) - at);
        await new Promise((resolve) => setTimeout(resolve, 4));
      }
      delays.sort((a, b) => a - b);
      return percentile(delays, 0.95);
    };
    await sample(300);
    const before = await sample(600);
    const known = await rig.loop.specs.newest('wide', 'wide');
    if (known === null) throw new Error('no wide job');
    const at = performance.now();
    const stored = await rig.loop.execute({
      kind: 'submit',
      partition: 0,
      spec: known,
      head: {},
      input: null,
    });
    const storedMs = Math.round(performance.now() - at);
    if (stored.kind !== 'accepted') throw new Error('not accepted');
    const during = await sample(600);
    return {
      graphWideStoredMs: storedMs,
      graphOthersP95MsBefore: before,
      graphOthersP95MsDuring: during,
      graphOthersP95Ratio: Math.round((during / before) * 100) / 100,
    };
  } finally {
    await rig.stop();
    await close();
  }
}

const FAN = 100_000;

/** A fan-out of 100,000 children with the limit raised: stored, handed out, joined once. */
async function hugeFanOut(): Promise<Record<string, number>> {
  const { store, close } = await openSqlite();
  const definition = {
    limits: { fanOutMax: FAN, readyPerSecond: 1_000_000 },
    tasks: [
      { name: 'split' },
      { name: 'each', after: ['split'], fanOut: { from: 'split' } },
      { name: 'join', after: ['each'] },
    ],
  };
  let fannedAt = 0;
  let joins = 0;
  let joinAt = 0;
  let lastAt = 0;
  const rig: Rig = await startRig({
    store,
    workers: 100,
    tenants: 1,
    definition,
    outputOf: (task: Task) =>
      encoder.encode(task.spec.name === 'split' ? `{"total":${FAN}}` : '{"ok":true}'),
    assigned: (task) => {
      if (task.spec.name === 'split') return;
      if (fannedAt === 0) fannedAt = performance.now();
      if (task.spec.name === 'join') {
        joins++;
        joinAt = performance.now();
      } else lastAt = performance.now();
    },
  });
  try {
    collectGarbage();
    const rssBefore = rssMb();
    let rssMax = rssBefore;
    const watch = setInterval(() => {
      rssMax = Math.max(rssMax, rssMb());
    }, 100);
    const at = performance.now();
    await rig.submit(1);
    await rig.waitUntilDone(FAN + 2);
    clearInterval(watch);
    return {
      graphFanOutStoredMs: Math.round(fannedAt - at),
      graphFanOutAllMs: Math.round(joinAt - at),
      graphJoinAfterLastMs: Math.round(joinAt - lastAt),
      graphJoins: joins,
      graphFanOutRssMb: rssMax - rssBefore,
    };
  } finally {
    await rig.stop();
    await close();
  }
}

/** One run with 1,000 tasks in one answer, over HTTP. */
async function readLarge(): Promise<Record<string, number>> {
  const rootKey = 'b3nchM4rkK3yThatIsLongEnough0123456789';
  const http = { host: '127.0.0.1', port: 0 };
  const node = await startNode({ store: 'memory:', http, rootKey });
  try {
    await node.ready();
    const headers = { authorization: `Bearer ${rootKey}`, 'content-type': 'application/json' };
    const ask = (path: string, body?: unknown) =>
      fetch(`${node.url}/api/v1${path}`, {
        headers,
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
    const tasks = range(1_000).map((i) => ({ name: `t${i}`, after: i === 0 ? [] : ['t0'] }));
    await ask('/jobs', { name: 'large', definition: { tasks } });
    const { id } = (await (await ask('/runs', { job: 'large' })).json()) as { id: string };
    const times: number[] = [];
    for (let i = 0; i < 220; i++) {
      const at = performance.now();
      const view = (await (await ask(`/runs/${id}`)).json()) as { tasks: unknown[] };
      if (view.tasks.length !== 1_000) throw new Error('not all tasks came');
      if (i >= 20) times.push(performance.now() - at);
    }
    times.sort((a, b) => a - b);
    return { graphGetMsP50: percentile(times, 0.5), graphGetMsP95: percentile(times, 0.95) };
  } finally {
    await node.stop();
  }
}
