import type { FromNode, FromWorker } from '@signalbox/protocol';
import { describe, expect, it } from 'vitest';
import type { Gateway } from './gateway.ts';
import { connectInProcess } from './in-process.ts';
import type { Peer } from './peer.ts';

/** A link to a gateway that only notes what it hears; `peer` is what it says things to. */
async function link() {
  const heard: FromWorker[][] = [];
  const told: FromNode[][] = [];
  let peer: Peer | undefined;
  let isClosed = false;
  const gateway = {
    open: (opened: Peer) => {
      peer = opened;
      const receive = (frames: readonly FromWorker[]): void => void heard.push([...frames]);
      return { receive, closed: () => undefined };
    },
  } as unknown as Gateway;
  const connection = await connectInProcess(gateway).connect({
    received: (frames) => void told.push([...frames]),
    closed: () => {
      isClosed = true;
    },
  });
  return { connection, peer: peer as unknown as Peer, heard, told, isClosed: () => isClosed };
}

const aborts = (count: number): FromNode[] =>
  Array.from({ length: count }, (_, i) => {
    return { kind: 'abort', ref: [0, i, 0, 1, 1, 1], graceMs: 0, why: 'cancelled' };
  });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the link without a network', () => {
  it('hands over many frames in pieces, in order, with turns for others between them', async () => {
    const { peer, told } = await link();
    const frames = aborts(2_000);
    peer.send(frames);
    expect(told).toEqual([]);
    const seen: number[] = [];
    while (told.flat().length < frames.length) {
      await turn();
      seen.push(told.flat().length);
    }
    expect(seen.length).toBeGreaterThan(3);
    expect(Math.max(...told.map((piece) => piece.length))).toBeLessThan(1_000);
    expect(told.flat()).toEqual(frames);
  });

  it('delivers all that was said before the end, then the end', async () => {
    const { peer, told, isClosed, connection, heard } = await link();
    peer.send(aborts(1_500));
    connection.send([{ kind: 'drain' }, { kind: 'bye' }]);
    await connection.close();
    while (!isClosed()) await turn();
    expect(told.flat()).toHaveLength(1_500);
    expect(heard.flat()).toEqual([{ kind: 'drain' }, { kind: 'bye' }]);
  });
});
