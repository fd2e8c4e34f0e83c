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
  await node.define('held', {
    ...{ failurePolicy: 'PAUSE', tasks: [{ name: 'bad', handler: 'bad', retry: once }] },
  });
  box = await Signalbox.connect(node.url, { key: node.key });
  const bad = job('bad', () => {
    throw new Error('it is bad');
  });
  await box.work([job('fine', () => 'fine'), bad], { name: 'w' });
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
      /It sleeps until .*\n {2}→ Nothing: what comes after it/,
    );
    expect(await why(`${id}:maybe`)).toContain(
      'its condition is false: input == "yes"\n  → Nothing',
    );
    expect(await why(`${id}:after-maybe`)).toContain('maybe, which it comes after, was skipped');
    const bad = await why(`${id}:bad`);
    expect(bad).toMatch(/QUARANTINED: .*it is bad/);
    expect(bad).toContain('→ Its run goes on. When that has ended, retry it');
    expect(await why(`${id}:after-bad`)).toContain(
      'It has ended as CANCELLED: bad, which it comes after, ended as QUARANTINED.',
    );
    await run('cancel', id, '--reason', 'wrong data');
    await until(`${id}:nap`, 'CANCELLED');
    expect(await why(`${id}:nap`)).toContain('CANCELLED: cancelled by root: wrong data\n  → Retry');
    expect(await why(`${id}:after-bad`)).toContain('bad, which it comes after');
    expect(await why(`${id}:maybe`)).toContain('its condition is false');
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
});
