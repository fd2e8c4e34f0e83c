import type { FromWorker } from '@signalbox/protocol/link';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ConnectionHandlers, Transport } from '../transport/transport.ts';
import { Link, type LinkOwner } from './link.ts';

const NONE = { cpuMilli: 0, memoryMb: 0, gpu: 0, diskMb: 0, slots: 0 };
const MINUTE = 60_000;

const owner: LinkOwner = {
  hello: () => ({ kind: 'hello' }) as FromWorker,
  resume: () => {},
  received: () => {},
  foreignUse: () => NONE,
  event: () => {},
};

/** A node that welcomes every worker and closes the connection after so many milliseconds. */
function openLink(lastsMs: () => number): { link: Link; connectedAt: number[] } {
  const connectedAt: number[] = [];
  const transport: Transport = {
    connect: async (receiver: ConnectionHandlers) => {
      connectedAt.push(Date.now());
      setTimeout(() => {
        receiver.received([{ kind: 'welcome', protocol: 1, node: 'n', heartbeatMs: 1_000 }]);
      }, 1);
      setTimeout(() => receiver.closed(1011, 'in trouble'), 1 + lastsMs());
      return { bufferedBytes: 0, send: () => {}, close: async () => {} };
    },
  };
  const link = new Link(transport, owner);
  link.open();
  return { link, connectedAt };
}

describe('a link to a node that welcomes and then closes', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('comes back more and more slowly', async () => {
    const { link, connectedAt } = openLink(() => 5);
    await vi.advanceTimersByTimeAsync(5 * MINUTE);
    // Five seconds at most, half of that on average; at a tenth of a second it would be 3,000 times.
    expect(connectedAt.length).toBeGreaterThan(50);
    expect(connectedAt.length).toBeLessThan(400);
    await link.close();
  });

  it('comes back at once after a connection that has lasted', async () => {
    let lastsMs = 5;
    const { link, connectedAt } = openLink(() => lastsMs);
    await vi.advanceTimersByTimeAsync(MINUTE);
    lastsMs = MINUTE;
    const before = connectedAt.length;
    await vi.advanceTimersByTimeAsync(5 * MINUTE);
    const [first, second] = connectedAt.slice(before);
    expect((second as number) - (first as number)).toBeLessThanOrEqual(MINUTE + 110);
    await link.close();
  });
});
