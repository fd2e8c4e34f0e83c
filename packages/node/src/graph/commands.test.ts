import { readdirSync, readFileSync } from 'node:fs';
import type { LogLine } from '@signalbox/protocol';
import { describe, expect, it } from 'vitest';
import { pipelineWorld } from './testing/pipeline-world.ts';

const world = pipelineWorld();
const { define, submit, ended, ask, post } = world;

/** Processes whose command line contains the text; dead ones that wait to be reaped do not count. */
function processesWith(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false;
    try {
      const isDead = /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
      return !isDead && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });
}

const linesOf = async (id: string): Promise<string[]> =>
  (await ask(`/runs/${id}/logs`)).json<{ items: LogLine[] }>().items.map(({ text }) => text);

const freeSlots = async (): Promise<number> =>
  (await ask('/workers/w')).json<{ free: { slots: number } }>().free.slots;

const GRACE_MS = 1_000;

describe('a command that is cancelled', () => {
  it.each([
    ['stops when it is told to', 'trap "exit 0" TERM'],
    ['ignores the signal', 'trap "" TERM'],
  ])(
    'ADM-02 and %s is gone after its grace period and a second, with its slot',
    async (_name, trap) => {
      const mark = `signalbox-${performance.now()}`;
      const script = `: ${mark}; ${trap}; echo up; while :; do sleep 0.05; done`;
      const command = { argv: ['sh', '-c', script] };
      await define('endless', { tasks: [{ name: 'main', command, gracePeriod: GRACE_MS }] });
      const all = await freeSlots();
      const id = await submit('endless');
      await expect.poll(() => linesOf(id), { timeout: 10_000 }).toContain('up');
      expect(processesWith(mark).length).toBeGreaterThan(0);
      expect(await freeSlots()).toBe(all - 1);
      const cancelledAt = performance.now();
      await post(`/runs/${id}/cancel`, { reason: 'wrong data' });
      await expect.poll(() => processesWith(mark), { timeout: 10_000, interval: 10 }).toEqual([]);
      expect(performance.now() - cancelledAt).toBeLessThan(GRACE_MS + 1_000);
      expect((await ended(id)).state).toBe('CANCELLED');
      // The worker says that the slot is free when it has seen the process end.
      await expect.poll(freeSlots, { timeout: 10_000 }).toBe(all);
    },
  );
});

describe('the history of a run', () => {
  it('WRK-14 has status, exit code, duration, output and logs of its attempts', async () => {
    const script = 'echo working >&2; printf "a result"';
    const tasks = [{ name: 'main', command: { argv: ['sh', '-c', script] } }];
    await define('works', { tasks });
    const good = await ended(await submit('works'));
    expect(good.state).toBe('SUCCEEDED');
    expect(await linesOf(good.id)).toContain('working');
    expect(good.tasks[0]?.attempts).toMatchObject([{ number: 1, outcome: 'succeeded' }]);
    expect((await ask(`/runs/${good.id}/output`)).text).toBe('a result');
    const exits = { argv: ['sh', '-c', 'echo broken >&2; exit 7'] };
    await define('fails', { tasks: [{ name: 'main', command: exits, retry: { maxAttempts: 1 } }] });
    const bad = await ended(await submit('fails'));
    expect(bad.tasks[0]?.attempts).toMatchObject([{ number: 1, outcome: 'transient' }]);
    expect(bad).toMatchObject({ state: 'FAILED', tasks: [{ error: 'ended with exit code 7' }] });
    expect(await linesOf(bad.id)).toContain('broken');
    for (const { tasks: shown } of [good, bad]) {
      const { startedAt, endedAt } = shown[0]?.attempts[0] ?? {};
      expect(Date.parse(endedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(startedAt ?? ''));
    }
  });
});
