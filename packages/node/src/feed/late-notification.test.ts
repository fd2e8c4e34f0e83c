import { createMemoryStore } from '@signalbox/store/memory';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { getRun, watchTenant } from '../operations/index.ts';
import { caller, SmallNode, SUCCEED } from '../operations/testing/small-node.ts';
import { Client, type Message } from './testing/client.ts';

const nodes: SmallNode[] = [];
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const node of nodes.splice(0).toReversed()) await node.stop();
});

const loop = { partitions: 1 };

async function watch(node: SmallNode, lastEventId?: string): Promise<Client> {
  const client = new Client();
  clients.push(client);
  const resume = lastEventId === undefined ? {} : { lastEventId };
  const stream = await watchTenant(node.context, caller(), { ...resume, sink: client });
  void client.closed.then(() => stream.close());
  return client;
}

const kinds = ({ messages }: { messages: readonly Message[] }) => messages.map(({ kind }) => kind);

describe('a notification of a run that is over', () => {
  async function ended(node: SmallNode): Promise<string> {
    const notify = { onSuccess: [{ url: 'https://example.com/' }] };
    await node.define('told', { tasks: [{ name: 'a', handler: 'mail' }], notify });
    await node.define('mail');
    node.attach('w', SUCCEED);
    const id = await node.submit({ job: 'told' });
    await getRun(node.context, caller(), { id, waitMs: 20_000 });
    return id;
  }

  it('EXT-20 is told at once, and holds up nothing behind it', async () => {
    const node = await SmallNode.start({ loop });
    nodes.push(node);
    const id = await ended(node);
    const client = await watch(node);
    const notified = { kind: 'notified', partition: 0, id: `${id}/end`, delivered: true } as const;
    await node.context.loop.execute(notified);
    await client.received(1);
    expect(client.messages[0]).toMatchObject({ kind: 'notificationDone', data: { run: id } });
    const next = await node.submit({ job: 'mail' });
    await client.received(2);
    expect(client.messages[1]?.data.run).toBe(next);
  });

  it('EXT-20 is read from the journal however many runs the tenant has had since', async () => {
    const disk = createMemoryStore({ now: () => Date.now() });
    const node = await SmallNode.start({ disk, loop });
    nodes.push(node);
    const id = await ended(node);
    // A list that is full, and does not reach back to it.
    const listRuns: typeof disk.listRuns = async (query) => {
      const [row] = await disk.listRuns(query);
      return row === undefined ? [] : Array.from({ length: query.limit }, () => row);
    };
    const first = await watch(node);
    await vi.waitFor(() => expect(first.lastEventId).not.toBe(''), 20_000);
    first.close();
    await node.submit({ job: 'mail' });
    const notified = { kind: 'notified', partition: 0, id: `${id}/end`, delivered: true } as const;
    await node.context.loop.execute(notified);
    const other = SmallNode.idle({ disk, store: { ...disk, listRuns }, loop });
    nodes.push(other);
    const client = await watch(other, first.lastEventId);
    await vi.waitFor(() => expect(kinds(client)).toContain('notificationDone'), 20_000);
    expect(kinds(client)).not.toContain('reset');
  });
});
