import { job, type Pipeline, pipeline, Signalbox } from 'signalbox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CommandNode } from '../testing/command-node.ts';

let node: CommandNode;
let box: Signalbox;

const order = pipeline('order', { failurePolicy: 'SKIP_FAILED' }, (p: Pipeline<number[]>) => {
  const list = p.task('list', (parts) => ({ parts }));
  const pack = p.fanOut(
    'pack',
    { from: list.output.parts, retry: { maxAttempts: 1, onExhausted: 'fail' } },
    ({ item }) => {
      if (item < 0) throw new Error(`there is no part ${item}`);
      return item * 2;
    },
  );
  const ask = p.approval('ask', { after: [pack], message: 'Send it?' });
  return p.task('send', { inputs: { pack, by: ask.output.by } }, ({ pack, by }) => ({
    sent: pack.results.map(({ output }) => output),
    missing: pack.failures.map(({ error }) => error),
    by,
  }));
});

const report = job('report', async () => new TextEncoder().encode('12 rows, none missing\n'));

beforeAll(async () => {
  node = await CommandNode.start();
  box = await Signalbox.connect(node.url, { key: node.key });
  await box.work([order, report], { name: 'packer' });
});
afterAll(async () => {
  await box.close();
  await node.stop();
});

const run = (args: readonly string[], more: { isTty?: boolean } = {}) => node.run(args, more);

describe('signalbox signal', () => {
  it('ends a wait for an event, refuses an approval, and is refused once it has ended', async () => {
    const waits = pipeline('pay', (p: Pipeline<null>) => {
      p.event('paid', { type: 'paid', filter: 'false' });
      p.approval('ask', {});
      return undefined;
    });
    await box.apply([waits]);
    const handle = await box.submit(waits, null);
    await waiting(handle.id, 'paid', 'WAITING_EVENT');
    const signal = (task: string) => run(['signal', `${handle.id}:${task}`, '{"ok":true}']);
    const refused = await signal('ask');
    expect(refused.code).toBe(6);
    expect(refused.err).toContain('the task does not wait for an event');
    expect((await signal('paid')).out).toBe('paid waits no more\n');
    expect((await signal('paid')).code).toBe(6);
    const shown = await run(['tasks', 'show', `${handle.id}:paid`]);
    expect(shown.out).toContain('SUCCEEDED');
    await run(['cancel', handle.id]);
  });
});

describe('signalbox approve', () => {
  it('takes the run where one of its tasks waits for a person, and guesses nothing else', async () => {
    const gates = pipeline('gates', (p: Pipeline<string[]>) => {
      p.approval('first', {});
      p.event('paid', { type: 'paid' });
      p.approval('second', { when: 'input == "two"' });
      return undefined;
    });
    await box.apply([gates]);
    const { id: two } = await box.submit('gates', 'two');
    await waiting(two, 'second');
    const several = await run(['approve', two]);
    expect(several.code).toBe(2);
    expect(several.err).toContain(`name one of these tasks: ${two}:first, ${two}:second`);
    const { id } = await box.submit('gates', 'one');
    await waiting(id, 'first');
    expect(await run(['approve', id])).toMatchObject({ code: 0, out: 'first is approved\n' });
    const none = await run(['approve', id]);
    expect(none.code).toBe(6);
    expect(none.err).toContain(`no task of the run ${id} waits for an approval`);
    expect(none.err).toContain(`see what its tasks wait for: signalbox why ${id}`);
    const short = await run(['approve', id.slice(0, 3)]);
    expect(short.err).toContain('write at least 4 characters from the beginning or end of the id');
    for (const each of [two, id]) await run(['cancel', each]);
  });

  it('finds the wait of a run that is paused', async () => {
    const held = pipeline('held', (p: Pipeline<string[]>) => {
      p.approval('ask', {});
      p.sleep('night', { for: 3_600_000 });
      return undefined;
    });
    await box.apply([held]);
    const { id } = await box.submit('held');
    await waiting(id, 'ask');
    expect((await run(['pause', id])).code).toBe(0);
    expect(await run(['approve', id])).toMatchObject({ code: 0, out: 'ask is approved\n' });
    await run(['cancel', id]);
  });
});

describe('signalbox runs show', () => {
  it('follows a run until it has ended, over a wait for a person', async () => {
    const handle = await box.submit(order, [1, 2, -3]);
    const watching = run(['runs', 'show', handle.id, '--watch']);
    await waiting(handle.id, 'ask');
    const { code } = await run(['approve', `${handle.id}:ask`, '--comment', 'go']);
    expect(code).toBe(0);
    const watched = await watching;
    expect(watched).toMatchObject({ code: 1, err: '' });
    expect(watched.out).toContain('pack\tSUCCEEDED\t2 of 3, 1 failed\n');
    expect(watched.out).toContain('send\tSUCCEEDED');
    expect(watched.out).toContain('state:     PARTIAL');
    expect(watched.out).toContain('{"sent":[2,4],"missing":["there is no part -3"],"by":"root"}');
    const again = await run(['approve', `${handle.id}:ask`]);
    expect(again.code).toBe(6);
  });

  it('draws the timeline and the graph of a run that has ended', async () => {
    const shown = await run(['runs', 'show', 'last'], { isTty: true });
    expect(shown.out).toMatch(
      /\npack +SUCCEEDED +3 +\S+ m?s +2 of 3, 1 failed; there is no part -3\n/,
    );
    expect(shown.out).toMatch(/\nlist +█/);
    const graph = await run(['runs', 'show', 'last', '--graph']);
    expect(graph.out).toContain('│ 2 of 3, 1 failed');
    const ascii = await run(['runs', 'show', 'last', '--graph', '--ascii']);
    expect(ascii.out).not.toMatch(/[^\n -~]/);
    const mermaid = await run(['runs', 'show', 'last', '--graph', '--format', 'mermaid']);
    expect(mermaid.out).toContain('t1[/"pack<br/>SUCCEEDED<br/>2 of 3, 1 failed"/]:::SUCCEEDED');
    const svg = await run(['runs', 'show', 'last', '--graph', '--format', 'svg']);
    expect(svg.out).toMatch(/^<svg .*<\/svg>\n$/s);
  });

  it('draws the graph of the job, in every format', async () => {
    expect((await run(['jobs', 'graph', 'order'])).out).toContain('┌─▶│ ask');
    expect((await run(['jobs', 'graph', 'order', '--format', 'mermaid'])).out).toContain(
      't2{{"ask',
    );
    const json = JSON.parse((await run(['jobs', 'graph', 'order', '--json'])).out) as object;
    expect(json).toMatchObject({
      edges: [
        [0, 1],
        [1, 2],
        [1, 3],
        [2, 3],
      ],
    });
    expect((await run(['jobs', 'graph', 'nope'])).code).toBe(3);
  });

  it('rejects, pauses, resumes and tries again what failed', async () => {
    const handle = await box.submit(order, [1]);
    await waiting(handle.id, 'ask');
    expect((await run(['pause', handle.id])).out).toContain('PAUSED');
    expect((await run(['resume', handle.id])).out).toContain('RUNNING');
    expect((await run(['reject', `${handle.id}:ask`, '--comment', 'no'])).code).toBe(0);
    await handle.wait();
    const retried = await run(['retry', handle.id, '--json']);
    const { id } = JSON.parse(retried.out) as { id: string };
    await waiting(id, 'ask');
    expect((await run(['approve', `${id}:ask`])).code).toBe(0);
    const ended = await run(['runs', 'show', id, '--watch', '--json']);
    expect(ended.code).toBe(0);
  });
});

/** Until the task waits. */
async function waiting(id: string, task: string, reason = 'WAITING_PERSON'): Promise<void> {
  await vi.waitFor(async () => expect(await box.why(`${id}:${task}`)).toMatchObject({ reason }), {
    timeout: 20_000,
    interval: 50,
  });
}
