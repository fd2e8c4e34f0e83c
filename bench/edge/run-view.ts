import { type Client, percentile } from './client.ts';
import { Processes } from './processes.ts';

const TASKS = 1_000;
const WARM_UP = 50;
const READS = 400;

/** Reading a run of a thousand tasks, one read after the other: while it lives, and when it has ended. */
export async function measureRunView(): Promise<Record<string, number>> {
  const processes = new Processes();
  try {
    const store = `file:${processes.folder}/signalbox.sqlite`;
    const { client } = await processes.startFleet(store, 'nothing');
    const parts = Array.from({ length: TASKS - 2 }, (_, i) => `part${i}`);
    const work = { handler: 'nothing' };
    const tasks = [
      { name: 'hold', sleep: { for: 86_400_000 } },
      ...parts.map((name) => ({ name, ...work })),
      { name: 'join', after: parts, ...work },
    ];
    await client.call('PUT', '/jobs/live', { tasks });
    await client.call('PUT', '/jobs/ended', { tasks: tasks.slice(1) });
    const live = await submitted(client, 'live');
    const ended = await submitted(client, 'ended');
    await client.call('GET', `/runs/${ended}?wait=60000`);
    const figures = {
      ...(await measure(client, live, 'runView1000TasksLive')),
      ...(await measure(client, ended, 'runView1000TasksEnded')),
    };
    await client.close();
    return figures;
  } finally {
    await processes.stop();
  }
}

async function submitted(client: Client, job: string): Promise<string> {
  return (await client.call<{ id: string }>('POST', '/runs', { job })).id;
}

async function measure(client: Client, id: string, name: string): Promise<Record<string, number>> {
  const times: number[] = [];
  for (let i = 0; i < WARM_UP + READS; i++) {
    const from = performance.now();
    const { tasks } = await client.call<{ tasks: unknown[] }>('GET', `/runs/${id}`);
    if (i >= WARM_UP) times.push(performance.now() - from);
    if (tasks.length < TASKS - 1) throw new Error(`the answer has ${tasks.length} tasks`);
  }
  times.sort((a, b) => a - b);
  return { [`${name}P50Ms`]: percentile(times, 0.5), [`${name}P95Ms`]: percentile(times, 0.95) };
}
