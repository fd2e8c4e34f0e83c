import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from '../testing/child.ts';
import { CommandNode } from '../testing/command-node.ts';

/** Without bubblewrap and without `unshare`, whatever this machine has. */
const BARE = { PATH: '/nowhere' };

describe('a worker that cannot isolate commands', () => {
  const world = new World();
  let node: CommandNode;
  let access: Record<string, string>;
  beforeAll(async () => {
    node = await CommandNode.start();
    access = { SIGNALBOX_URL: node.url, SIGNALBOX_KEY: node.key };
  });
  afterAll(async () => {
    world.remove();
    await node.stop();
  });

  it('says so when it starts, and gets no command that must be isolated', async () => {
    const args = ['worker', '--name', 'bare', '--allow-command'];
    const worker = world.start(args, { ...access, ...BARE });
    const [line] = await worker.printed(/^\{.*"command\.not_isolated".*\}$/m);
    expect(JSON.parse(line)).toMatchObject({
      level: 'WARN',
      wanted: 'auto',
      isolation: 'none',
      exposed: expect.arrayContaining(['environment and key of the worker', 'data folder']),
    });
    await worker.printed(/worker bare is attached/);
    expect((await node.run(['workers', 'show', 'bare'])).out).toMatch(/^executors:\s+command$/m);
    await node.define('walled', { tasks: [{ command: { argv: ['/bin/true'], isolated: true } }] });
    const { out } = await node.run(['submit', 'walled']);
    const why = await node.run(['why', `${out.trim()}:main`]);
    expect(why.out).toContain('command-isolated');
    expect(why.out).toContain('--allow-command --command-isolation bubblewrap');
    await node.define('open', { tasks: [{ command: { argv: ['/bin/echo', 'ran'] } }] });
    expect((await node.run(['submit', 'open', '--wait'])).out).toContain('ran');
    expect((await worker.stop()).code).toBe(0);
  }, 60_000);

  it.each(['bubblewrap', 'namespaces'])('does not start if %s is demanded', async (isolation) => {
    const args = ['worker', '--allow-command', '--command-isolation', isolation];
    const { code, err } = await world.run(args, { ...access, ...BARE });
    expect(code).toBe(2);
    expect(err).toContain(`--command-isolation ${isolation}: `);
  });
});
