import { encodeFrames, type FromNode } from '@signalbox/protocol/link';
import { assignOf, HANDLERS, refOf, SLOTS } from './assignment.ts';
import { demand, type Scenario, type Stage } from './scenario.ts';
import { HEARTBEAT_MS, same } from './scripted-node.ts';

const bytes = new Uint8Array([1, 0, 255]);

export const ATTACH_SCENARIOS: readonly Scenario[] = [
  { name: 'says hello first, with its key, executors and capacity', play: hello },
  { name: 'beats by itself, and at once when it is probed', play: beats },
  { name: 'keeps a result over reconnects until it is confirmed', play: unconfirmed },
  { name: 'goes on with what runs while no node is there', play: runsOn },
  { name: 'says hello again on restate', play: restate },
  { name: 'comes back after a message that it does not understand', play: unknown },
  { name: 'leaves fields alone that it does not know', play: unknownField },
  { name: 'drains: finishes or stops what runs, takes nothing new, says bye', play: drain },
];

async function hello({ node, key }: Stage): Promise<void> {
  const hello = await node.next('hello');
  demand(hello.protocol === 1, 'hello.protocol is 1');
  const isKnown = node.authorization === `Bearer ${key}` || hello.key === key;
  demand(isKnown, 'the key is in the Authorization header, or in hello.key');
  for (const handler of Object.values(HANDLERS)) {
    demand(
      hello.executors.includes(`handler:${handler}`),
      `hello.executors has handler:${handler}`,
    );
  }
  demand(hello.total.slots === SLOTS, `hello.total.slots is ${SLOTS}`);
  demand(hello.holds.length === 0, 'a new worker holds nothing');
}

async function beats({ node }: Stage): Promise<void> {
  await node.next('beat', { count: 3 });
  const before = node.all('beat').length;
  node.send({ kind: 'probe' });
  await node.until('answers a probe', () => node.all('beat').length > before, 5 * HEARTBEAT_MS);
}

async function unconfirmed({ node }: Stage): Promise<void> {
  await node.next('hello');
  node.confirms = false;
  node.send(assignOf(1, 'echo', { input: bytes }));
  await node.next('finish');
  node.cut();
  const again = await node.next('hello', { count: 2 });
  demand(
    again.holds.some((ref) => same(ref, refOf(1))),
    'hello.holds has the unconfirmed result',
  );
  demand(again.instance === node.all('hello')[0]?.instance, 'the instance is the same');
  await node.next('finish', { ref: refOf(1), count: 2 });
  node.send({ kind: 'confirm', refs: [refOf(1)] });
  // An attempt behind it proves that the confirmation was read before the connection goes.
  node.confirms = true;
  node.send(assignOf(2, 'echo'));
  await node.next('finish', { ref: refOf(2) });
  node.send(assignOf(3, 'echo'));
  await node.next('finish', { ref: refOf(3) });
  node.cut();
  const last = await node.next('hello', { count: 3 });
  demand(!last.holds.some((ref) => same(ref, refOf(1))), 'a confirmed result is forgotten');
}

async function runsOn({ node }: Stage): Promise<void> {
  await node.next('hello');
  node.send(assignOf(1, 'wait'));
  await node.next('accept');
  node.cut();
  const again = await node.next('hello', { count: 2 });
  demand(
    again.holds.some((ref) => same(ref, refOf(1))),
    'hello.holds has what still runs',
  );
  demand(node.all('finish').length === 0, 'a lost connection does not end an attempt');
  node.send({ kind: 'abort', ref: refOf(1), graceMs: 2_000, why: 'cancelled' });
  await node.next('finish', { ref: refOf(1) });
}

async function restate({ node }: Stage): Promise<void> {
  await node.next('hello');
  node.send(assignOf(1, 'wait'));
  await node.next('accept');
  node.send({ kind: 'restate' });
  const again = await node.next('hello', { count: 2 });
  demand(node.connections === 1, 'restate is answered on the same connection');
  demand(
    again.holds.some((ref) => same(ref, refOf(1))),
    'hello.holds has what runs',
  );
}

async function unknown({ node }: Stage): Promise<void> {
  await node.next('hello');
  const future = { kind: 'from-the-future' } as unknown as FromNode;
  node.sayBytes(encodeFrames([future]));
  node.send(assignOf(1, 'echo'));
  // Ignored, or the connection closed and opened anew: both leave a worker that works.
  await node.until(
    'works on or comes back',
    () => node.all('finish').length > 0 || node.all('hello').length > 1,
  );
  node.send(assignOf(2, 'echo'));
  await node.next('finish', { ref: refOf(2) });
}

async function unknownField({ node }: Stage): Promise<void> {
  await node.next('hello');
  node.send({ ...assignOf(1, 'echo', { input: bytes }), later: { more: 1 } } as FromNode);
  await node.next('finish');
}

async function drain({ node, subject }: Stage): Promise<void> {
  await node.next('hello');
  node.send(assignOf(1, 'wait'));
  await node.next('accept');
  const stopped = subject.stop();
  await node.next('drain');
  node.send(assignOf(2, 'echo'));
  await node.next('refuse', { ref: refOf(2) });
  // As a node does: what runs on a draining worker is asked to come to its end.
  node.send({ kind: 'abort', ref: refOf(1), graceMs: 1_000, why: 'drained' });
  const finish = await node.next('finish', { ref: refOf(1) });
  demand(finish.result.kind === 'stopped', 'what is drained is stopped, not failed');
  await node.next('bye');
  await stopped;
  demand(node.heard.at(-1)?.kind === 'bye', 'bye is the last word');
}
