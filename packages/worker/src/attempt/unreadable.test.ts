import type { FromNode } from '@signalbox/protocol/link';
import { afterEach, describe, expect, it } from 'vitest';
import { buildAssign, buildRef } from '../testing/fake-node.ts';
import { gate, startWorker, stopWorkers } from '../testing/start-worker.ts';

afterEach(stopWorkers);

/** As the reader of the link hands it over. */
const unreadable = (n: number, field: string) =>
  ({ kind: 'unreadable', ref: buildRef(n), field }) as unknown as FromNode;

describe('what a node sends that cannot be read', () => {
  it('fails the attempt that it is about, with the field, and nothing else', async () => {
    const { node } = await startWorker(() => 1);
    node.send(unreadable(1, 'about.graceMs'), buildAssign(2));
    const first = await node.next('finish');
    expect(first).toMatchObject({
      ref: buildRef(1),
      result: {
        kind: 'failed',
        class: 'permanent',
        error: expect.stringContaining('about.graceMs'),
      },
    });
    expect(await node.next('finish', 2)).toMatchObject({ ref: buildRef(2) });
    expect(node.isConnected).toBe(true);
  });

  it('ends an attempt that runs, and tells it to stop', async () => {
    const { handler, begun, open } = gate();
    const { node } = await startWorker(handler);
    node.send(buildAssign(1));
    const { signal } = await begun;
    node.send(unreadable(1, 'abort.graceMs'));
    expect(await node.next('finish')).toMatchObject({ result: { kind: 'failed' } });
    expect(signal.aborted).toBe(true);
    open();
  });
});
