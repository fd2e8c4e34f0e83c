import { startNode } from '@signalbox/node';
import { saveSchedule } from '@signalbox/node/operations';
import type { RunView, ScheduleDefinition } from '@signalbox/protocol';
import { expect, it } from 'vitest';
import { DirectBackend } from '../direct/direct-backend.ts';
import { job } from '../index.ts';
import { historyOf } from '../test-programs/history.ts';
import { handlersOf } from '../work-on.ts';
import { simulate } from './index.ts';
import { SIMULATED } from './virtual-node.ts';

const windowed = job('windowed', (input: { name: string; kind: string }, ctx) => {
  return { input, schedule: ctx.window?.schedule, kind: ctx.window?.kind };
});
const jobs = [windowed];
const input = { name: '${window.schedule}', kind: '${window.kind}' };

/** Two windows that fire as time passes, and one that was missed before the schedule was saved. */
function schedules(nowMs: number): Readonly<Record<string, Omit<ScheduleDefinition, 'job'>>> {
  return {
    ticks: { every: '1s', maxRuns: 2, overlap: 'queueAll', input },
    missed: { runAt: new Date(nowMs - 3_600_000).toISOString(), priority: 'P0', input },
  };
}
const RUNS = 3;

function histories(views: readonly RunView[]) {
  return views
    .map((view) => historyOf(view, view.output))
    .sort((a, b) => String(a.window).localeCompare(String(b.window)));
}

it('U100 windows of schedules have the same history in a simulation as on a node', async () => {
  const expected = histories(await onNode());
  expect(expected.map(({ output }) => output)).toEqual([
    { input: { name: 'missed', kind: 'catchUp' }, schedule: 'missed', kind: 'catchUp' },
    { input: { name: 'ticks', kind: 'scheduled' }, schedule: 'ticks', kind: 'scheduled' },
    { input: { name: 'ticks', kind: 'scheduled' }, schedule: 'ticks', kind: 'scheduled' },
  ]);
  await using t = await simulate({ jobs });
  for (const [name, when] of Object.entries(schedules(t.now.getTime()))) {
    await t.schedule(name, windowed, when);
  }
  await t.advance('1m');
  expect(histories(await t.runs())).toEqual(expected);
});

/** The node of `Signalbox.open`, started here because the SDK has no call that saves a schedule. */
async function onNode(): Promise<RunView[]> {
  const node = await startNode({ store: 'memory:', http: false });
  const backend = new DirectBackend(node, 'default');
  const closed = new AbortController();
  try {
    await node.ready();
    await backend.apply(windowed.name, windowed.definition);
    const worker = await backend.work({ handlers: handlersOf(jobs) }, closed.signal);
    const ended = endsOf(backend, closed.signal);
    for (const [name, when] of Object.entries(schedules(Date.now()))) {
      const definition = { ...when, job: windowed.name };
      await saveSchedule(node.context, SIMULATED, { name, definition });
    }
    const ids = await ended;
    await worker.stop();
    return await Promise.all(ids.map((id) => backend.run(id, {})));
  } finally {
    closed.abort();
    await backend.close();
  }
}

async function endsOf(backend: DirectBackend, signal: AbortSignal): Promise<string[]> {
  const ids: string[] = [];
  for await (const { kind, run } of backend.events({}, signal)) {
    if (kind === 'runEnded') ids.push(run);
    if (ids.length === RUNS) break;
  }
  return ids;
}
