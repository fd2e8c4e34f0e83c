import { Client } from './client.ts';
import { cpuSecondsOf, freePort, isUp, Processes, rssMbOf, until } from './processes.ts';

const SETTLE_MS = 8_000;
const IDLE_MS = 20_000;

/** What a newcomer waits for, and what the thing costs while nobody uses it. */
export async function measureStart(): Promise<Record<string, number>> {
  const processes = new Processes();
  try {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const startedAt = performance.now();
    const child = processes.start(['dev', '--data', processes.folder, '--port', `${port}`]);
    await until(() => isUp(`${url}/api/v1/health`));
    const upMs = performance.now() - startedAt;
    const client = new Client(url, processes.key);
    await until(async () => {
      const { items } = await client.call<{ items: unknown[] }>('GET', '/workers');
      return items.length > 0;
    });
    const { id } = await client.call<{ id: string }>('POST', '/runs', {
      job: 'hello',
      input: { name: 'bench' },
    });
    await client.call('GET', `/runs/${id}?wait=10000`);
    const firstJobMs = performance.now() - startedAt;
    await pause(SETTLE_MS);
    const pid = child.pid as number;
    const before = { cpu: cpuSecondsOf(pid), calls: await storeCalls(url, processes.key) };
    await pause(IDLE_MS);
    const calls = (await storeCalls(url, processes.key)) - before.calls;
    const cpu = cpuSecondsOf(pid) - before.cpu;
    await client.close();
    return {
      startUpMs: Math.round(upMs),
      firstJobMs: Math.round(firstJobMs),
      idleRssMb: rssMbOf(pid),
      idleCpuPercent: Math.round((cpu / (IDLE_MS / 1_000)) * 10_000) / 100,
      idleStoreCallsPerSecond: Math.round((calls / (IDLE_MS / 1_000)) * 100) / 100,
    };
  } finally {
    await processes.stop();
  }
}

async function storeCalls(url: string, key: string): Promise<number> {
  const answer = await fetch(`${url}/api/v1/metrics`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const text = await answer.text();
  const lines = [...text.matchAll(/^signalbox_store_calls_total\{[^}]*\} (\d+)$/gm)];
  if (lines.length === 0) throw new Error('the node does not count its store calls');
  return lines.reduce((sum, line) => sum + Number(line[1]), 0);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
