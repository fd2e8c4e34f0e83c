import { job, Signalbox } from 'signalbox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CommandNode } from '../testing/command-node.ts';

let node: CommandNode;
let box: Signalbox;

const once = { maxAttempts: 1 };
const GRAPH = {
  failurePolicy: 'CONTINUE' as const,
  tasks: [
    { name: 'ask', approval: { message: 'Go on?' } },
    { name: 'ask-soon', approval: { message: 'Go on?', timeout: 3_600_000 } },
    { name: 'nap', sleep: { for: 600_000 } },
    { name: 'maybe', handler: 'fine', when: 'input == "yes"' },
    { name: 'after-maybe', handler: 'fine', after: ['maybe'] },
    { name: 'bad', handler: 'bad', retry: once },
    { name: 'after-bad', handler: 'fine', after: ['bad'] },
    { name: 'after-ask', handler: 'fine', after: ['ask'] },
  ],
};

beforeAll(async () => {
  node = await CommandNode.start();
  await node.define('graph', GRAPH);
  await node.define('fast', {
    tasks: [
      { name: 'bad', handler: 'bad', retry: once },
      { name: 'nap', sleep: { for: 600_000 } },
    ],
  });
  await node.define('fanned', {
    failurePolicy: 'CONTINUE',
    tasks: [
      { name: 'list', handler: 'list' },
      { name: 'each', handler: 'bad', after: ['list'], fanOut: { from: 'list' }, retry: once },
      { name: 'ask', approval: { message: 'Go on?' } },
    ],
  });
  await node.define('fine');
  await node.define('many', {
    tasks: Array.from({ length: 25 }, (_, i) => ({ name: `t${i}`, handler: 'fine' })),
  });
  await node.define('held', {
    ...{ failurePolicy: 'PAUSE', tasks: [{ name: 'bad', handler: 'bad', retry: once }] },
  });
  box = await Signalbox.connect(node.url, { key: node.key });
  const bad = job('bad', () => {
    throw new Error('it is bad');
  });
  await box.work([job('fine', () => 'fine'), job('list', () => [1, 2]), bad], { name: 'w' });
});
afterAll(async () => {
  await box.close();
  await node.stop();
});

const run = (...args: string[]) => node.run(args);

async function submit(name: string): Promise<string> {
  return (await run('submit', name)).out.trim();
}

async function why(task: string): Promise<string> {
  return (await run('why', task)).out.split('\n').slice(1).join('\n');
}

/** Until the task is in this state. */
async function until(task: string, state: string): Promise<void> {
  await vi.waitFor(async () => expect((await run('why', task)).out).toContain(`  ${state}  `), {
    timeout: 20_000,
    interval: 50,
  });
}

describe('signalbox why', () => {
  it('API-09 tells of a live run what ended its tasks, and advises only what can be done', async () => {
    const id = await submit('graph');
    await until(`${id}:after-bad`, 'CANCELLED');
    await until(`${id}:after-maybe`, 'SKIPPED');
    expect(await why(`${id}:nap`)).toMatch(
      /The task sleeps until .*\n {2}→ Nothing: the next tasks start/,
    );
    expect(await why(`${id}:maybe`)).toContain(
      'the condition of the task is false: input == "yes"\n  → Nothing',
    );
    expect(await why(`${id}:after-maybe`)).toContain('the parent task maybe was skipped');
    const bad = await why(`${id}:bad`);
    expect(bad).toMatch(/QUARANTINED: .*it is bad/);
    expect(bad).toContain('→ The run is still open. After its end, retry it');
    expect(bad).toContain(`retry ${id}\n`);
    expect(await why(`${id}:after-bad`)).toContain(
      'The task ended as CANCELLED: the parent task bad ended as QUARANTINED.',
    );
    await run('cancel', id, '--reason', 'wrong data');
    await until(`${id}:nap`, 'CANCELLED');
    expect(await why(`${id}:nap`)).toContain(
      'CANCELLED: cancelled by root: wrong data\n  → Retry the run',
    );
    expect(await why(`${id}:after-bad`)).toContain('the parent task bad ended');
    expect(await why(`${id}:maybe`)).toContain('the condition of the task is false');
    expect((await run('runs', 'show', id)).out).toMatch(/\nnap\tCANCELLED\t.*\tcancelled by root/);
  });

  it('names the failure that ended a run which fails fast', async () => {
    const id = await submit('fast');
    await until(`${id}:nap`, 'CANCELLED');
    expect(await why(`${id}:nap`)).toContain('bad failed, and a failure ends the whole run');
  });

  it('shows times only where something happens at them', async () => {
    const id = await submit('graph');
    await until(`${id}:after-bad`, 'CANCELLED');
    const shown = (await run('runs', 'show', id)).out;
    expect(shown).toMatch(/\nask\tPENDING\t0\t\t[^\t]+ m?s\twaits for a person\n/);
    expect(shown).toMatch(
      /\nask-soon\tPENDING\t0\t\t[^\t]+ m?s\twaits for a person, given up in \d+m\n/,
    );
    expect(shown).toMatch(/\nnap\tPENDING\t0\t\t[^\t]+ m?s\tdue in \d+m\n/);
    const held = await submit('held');
    await vi.waitFor(
      async () => expect((await run('runs', 'show', held)).out).toContain('state:     PAUSED'),
      { timeout: 20_000, interval: 50 },
    );
    const paused = (await run('runs', 'show', held)).out;
    expect(paused).toMatch(/\nbad\tPENDING\t1\tw\t.*\t[^\t]*it is bad\n/);
    expect(paused).not.toContain('due');
  });

  it('API-09 names the children of a fan-out that failed, live and in the store', async () => {
    const id = await submit('fanned');
    await until(`${id}:each`, 'FAILED');
    expect(await why(`${id}:each`)).toMatch(
      /ended as FAILED: 2 of 2 children did not succeed: each_chunk_0 \(QUARANTINED: .*it is bad.*\), each_chunk_1/,
    );
    await run('cancel', id);
    await until(`${id}:ask`, 'CANCELLED');
    expect(await why(`${id}:each`)).toContain('did not succeed: each_chunk_0 (QUARANTINED');
  });

  it('API-09 always says something of a run: ended, paused, not begun', async () => {
    const fine = await submit('fine');
    await until(`${fine}:main`, 'SUCCEEDED');
    const ended = (await run('why', fine)).out;
    expect(ended).toMatch(new RegExp(`^${fine}  SUCCEEDED\n.*ended at .*every task succeeded`));
    const held = await submit('held');
    await vi.waitFor(
      async () => expect((await run('runs', 'show', held)).out).toContain('state:     PAUSED'),
      { timeout: 20_000, interval: 50 },
    );
    const paused = (await run('why', held)).out;
    expect(paused).toMatch(new RegExp(`^${held}  PAUSED\n`));
    expect(paused).toContain(`resume ${held}`);
    const later = (await run('submit', 'fine', '--delay', '10m')).out.trim();
    expect((await run('why', later)).out).toMatch(
      / {2}PENDING\n.*1 task has not ended.*\n.*WAITING_UNTIL/s,
    );
    const many = (await run('submit', 'many')).out.trim();
    await vi.waitFor(async () => expect((await run('why', many)).out).toContain('  SUCCEEDED\n'), {
      timeout: 20_000,
      interval: 50,
    });
    const shown = await run('why', many);
    expect(shown.out).toContain('every task succeeded');
    expect(shown.out.split('\n').length).toBeLessThan(5);
  });
});
