import type { ScheduleDefinition } from '@signalbox/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  backfillSchedule,
  checkSchedule,
  listRuns,
  listSchedules,
  saveSchedule,
  saveTrigger,
  scheduleTimeline,
  triggerSchedule,
} from '../index.ts';
import { caller, SmallNode } from '../testing/small-node.ts';

const MINUTE = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
  await node.define('mail');
});
afterEach(() => node.stop());

const save = (input: unknown, more: Partial<ScheduleDefinition> = {}) => {
  const definition = { job: 'mail', every: MINUTE, anchorAt: iso(0), input, ...more };
  if ('runAt' in more) {
    delete (definition as Partial<ScheduleDefinition>).every;
    delete (definition as Partial<ScheduleDefinition>).anchorAt;
  }
  return saveSchedule(node.context, caller(), { name: 'nightly', definition });
};

/** The inputs of all runs, oldest first. */
async function inputs(): Promise<unknown[]> {
  const rows = await node.disk.listRuns({ tenant: 'acme', before: null, limit: 10 });
  return rows.reverse().map(({ run }) => {
    return run.input === null ? null : JSON.parse(new TextDecoder().decode(run.input));
  });
}

async function untilFirst<T>(read: () => Promise<readonly T[]>): Promise<T> {
  const giveUpAt = performance.now() + 2_000;
  while (performance.now() < giveUpAt) {
    const [first] = await read();
    if (first !== undefined) return first;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it did not come');
}
const firstRun = () =>
  untilFirst(async () => (await listRuns(node.context, caller(), { job: 'mail' })).items);

const TEMPLATE = {
  day: '${window.at.substring(0, 10)}',
  before: "${timestamp(window.at) - duration('24h')}",
  of: '${window.schedule + " " + window.kind}',
  fixed: [1, '$${x}'],
};

describe('the input of a schedule', () => {
  it('is made of its template when a window fires', async () => {
    const at = iso(Date.now() - 2_000);
    const { schedule } = await save(TEMPLATE, { runAt: at });
    expect(schedule.definition.input).toEqual(TEMPLATE);
    await firstRun();
    expect(await inputs()).toEqual([
      {
        day: at.slice(0, 10),
        before: iso(Date.parse(at) - 86_400_000),
        of: 'nightly scheduled',
        fixed: [1, '${x}'],
      },
    ]);
  });

  it('is made of it for windows that are caught up, and for those of a backfill', async () => {
    const at = Date.now() - 10 * MINUTE;
    await save({ of: '${window.kind}', at: '${window.at}' }, { runAt: iso(at) });
    await firstRun();
    expect(await inputs()).toEqual([{ of: 'catchUp', at: iso(at) }]);
    await save('${[window.at, window.kind]}', { runAt: iso(at) });
    const range = { from: iso(at), until: iso(at), only: 'all' } as const;
    await backfillSchedule(node.context, caller(), { name: 'nightly', ...range });
    expect((await inputs())[1]).toEqual([iso(at), 'backfill']);
  });

  it('by hand has the moment in place of a window', async () => {
    await save({ of: '${window.kind}', at: '${window.at}' });
    const before = Date.now();
    await triggerSchedule(node.context, caller(), { name: 'nightly' });
    const [input] = (await inputs()) as [{ of: string; at: string }];
    expect(input.of).toBe('manual');
    expect(Date.parse(input.at)).toBeGreaterThanOrEqual(before - 1_000);
  });

  it.each([
    ['a name that is unknown', { day: '${windw.at}' }, 'definition.input.day', 'windw'],
    ['a field that is unknown', { day: '${window.day}' }, 'definition.input.day', 'day'],
    ['a syntax error', ['${window.}'], 'definition.input[0]', 'character'],
    ['text around it', 'on ${window.at}', 'definition.input', 'join texts with +'],
  ])('with %s is refused when it is saved', async (_what, input, field, words) => {
    const refused = { code: 'invalid', field, message: expect.stringContaining(words) };
    await expect(save(input)).rejects.toMatchObject(refused);
    const definition = { job: 'mail', every: MINUTE, input };
    const checked = checkSchedule(node.context, caller(), { name: 'nightly', definition });
    await expect(checked).rejects.toMatchObject(refused);
    expect((await listSchedules(node.context, caller(), {})).items).toEqual([]);
  });

  it('that fails only when the window comes skips it, and says why', async () => {
    await save("${{'scheduled': 1}[window.kind]}", { runAt: iso(Date.now() - 10 * MINUTE) });
    const skipped = await untilFirst(async () => {
      const { items } = await scheduleTimeline(node.context, caller(), { name: 'nightly' });
      return items.filter(({ state }) => state === 'skipped');
    });
    expect(skipped).toMatchObject({ reason: 'input_failed', count: 1 });
    expect(await inputs()).toEqual([]);
    const at = Date.parse(skipped.window);
    const range = { from: iso(at), until: iso(at) };
    const filled = backfillSchedule(node.context, caller(), { name: 'nightly', ...range });
    await expect(filled).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/window 2.*: input: No such key: backfill/),
    });
    expect(await inputs()).toEqual([]);
  });

  it('of the run that stands in for an event uses the window too', async () => {
    const save = (input: unknown) =>
      saveTrigger(node.context, caller(), {
        name: 'files',
        definition: {
          ...{ job: 'mail', type: 'file' },
          expect: { every: MINUTE, buffer: 1_000, input },
        },
      });
    await expect(save('${windw}')).rejects.toMatchObject({
      field: 'definition.expect.input',
    });
    await expect(save('${window.at}')).resolves.toMatchObject({ outcome: 'created' });
  });
});
