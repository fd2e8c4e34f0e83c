import { afterEach, describe, expect, it } from 'vitest';
import { buildAssign, buildRef, FakeNode } from './testing/fake-node.ts';
import { gate, stopWorkers, track } from './testing/start-worker.ts';
import { Worker } from './worker.ts';

afterEach(stopWorkers);

const sent = (node: FakeNode) => node.all('beat').flatMap(({ progress }) => progress);

describe('progress that an attempt has told and that does not move any more', () => {
  async function started() {
    const { handler, begun, open } = gate();
    const [a, b] = [new FakeNode(), new FakeNode()];
    const worker = new Worker({
      transports: [a.transport, b.transport],
      name: 'w1',
      handlers: { invoice: handler },
    });
    await track(worker).start();
    await Promise.all([a, b].map((node) => node.next('hello')));
    a.send(buildAssign(1));
    (await begun).progress(0.5);
    await a.until(() => sent(a).length === 1);
    return { a, b, open };
  }

  it('is told again to the node that takes the attempt over: it can be found stuck there as well', async () => {
    const { b, open } = await started();
    expect(sent(b)).toEqual([]);
    b.send({ kind: 'probe', adopted: [buildRef(1)] });
    await b.until(() => sent(b).length === 1);
    expect(sent(b)).toEqual([{ ref: buildRef(1), value: 0.5 }]);
    open();
  });

  it('is told again to the same node, whose process may be a new one', async () => {
    const { a, open } = await started();
    a.send({ kind: 'probe', adopted: [buildRef(1)] });
    await a.until(() => sent(a).length === 2);
    expect(sent(a)[1]).toEqual({ ref: buildRef(1), value: 0.5 });
    open();
  });
});
