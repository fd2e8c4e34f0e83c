import { assignOf, refOf } from './assignment.ts';
import { demand, type Scenario, type Stage } from './scenario.ts';
import { same, Violation } from './scripted-node.ts';

const GRACE_MS = 2_000;
/** The machine of the worker may be busy. */
const SLACK_MS = 1_000;

export const ATTEMPT_SCENARIOS: readonly Scenario[] = [
  { name: 'accepts, runs, and reports the output', play: runs },
  { name: 'refuses when it is full', play: full },
  { name: 'stops within the grace when it is told to', play: abort },
  { name: 'runs a duplicated assign once', play: duplicate },
  { name: 'drops a stale attempt and says nothing more of it', play: stale },
  { name: 'saves a checkpoint, and resumes from one', play: checkpoint },
  { name: 'answers for an attempt that it does not know with nothing', play: unknownAttempt },
];

async function runs({ node }: Stage): Promise<void> {
  await node.next('hello');
  const input = Uint8Array.from({ length: 100_000 }, (_, i) => i % 256);
  node.send(assignOf(1, 'echo', { input }), assignOf(2, 'echo'));
  const finish = await node.next('finish', { ref: refOf(1) });
  demand(finish.result.kind === 'succeeded', 'echo succeeds');
  const output = finish.output ?? new Uint8Array();
  demand(Buffer.from(output).equals(input), 'the output is the input, byte by byte');
  await node.next('finish', { ref: refOf(2) });
  const accepted = node.heard.findIndex((frame) => frame.kind === 'accept');
  const finished = node.heard.findIndex((frame) => frame.kind === 'finish');
  demand(accepted >= 0 && accepted < finished, 'accept comes before finish');
}

async function full({ node }: Stage): Promise<void> {
  await node.next('hello');
  node.send(assignOf(1, 'wait'), assignOf(2, 'wait'));
  await node.next('accept', { ref: refOf(2) });
  node.send(assignOf(3, 'wait'));
  await node.next('refuse', { ref: refOf(3) });
  demand(node.all('accept', refOf(3)).length === 0, 'what is refused is not accepted');
  node.send({ kind: 'abort', ref: refOf(1), graceMs: GRACE_MS, why: 'cancelled' });
  await node.next('finish', { ref: refOf(1) });
  node.send(assignOf(4, 'echo'));
  await node.next('finish', { ref: refOf(4) });
}

async function abort({ node }: Stage): Promise<void> {
  await node.next('hello');
  node.send(assignOf(1, 'wait'));
  await node.next('accept');
  node.send({ kind: 'abort', ref: refOf(1), graceMs: GRACE_MS, why: 'timeout' });
  const isOver = () => node.all('finish', refOf(1)).length > 0;
  await node.until('reports the stop', isOver, GRACE_MS + SLACK_MS);
  const [finish] = node.all('finish', refOf(1));
  demand(finish?.result.kind === 'stopped', 'what was told to stop is stopped, not failed');
}

async function duplicate({ node }: Stage): Promise<void> {
  await node.next('hello');
  node.send(assignOf(1, 'wait'), assignOf(1, 'wait'));
  await node.next('accept', { ref: refOf(1) });
  // Had it run twice, both slots would be taken.
  node.send(assignOf(2, 'wait'));
  await node.next('accept', { ref: refOf(2) });
  node.send(assignOf(1, 'wait'));
  node.send({ kind: 'abort', ref: refOf(1), graceMs: GRACE_MS, why: 'cancelled' });
  await node.next('finish', { ref: refOf(1) });
  node.send(assignOf(3, 'echo'));
  await node.next('finish', { ref: refOf(3) });
  demand(node.all('refuse', refOf(1)).length === 0, 'what it runs is not refused');
}

async function stale({ node }: Stage): Promise<void> {
  await node.next('hello');
  node.send(assignOf(1, 'wait'));
  await node.next('accept');
  node.send({ kind: 'stale', ref: refOf(1) });
  node.send(assignOf(2, 'echo'));
  await node.next('finish', { ref: refOf(2) });
  node.cut();
  const again = await node.next('hello', { count: 2 });
  demand(!again.holds.some((ref) => same(ref, refOf(1))), 'a stale attempt is not held any more');
  demand(node.all('finish', refOf(1)).length === 0, 'a stale attempt has no result');
}

async function checkpoint({ node }: Stage): Promise<void> {
  await node.next('hello');
  node.send(assignOf(1, 'wait'));
  await node.next('accept');
  node.send({ kind: 'abort', ref: refOf(1), graceMs: GRACE_MS, why: 'timeout' });
  await node.until('stops', () => node.all('finish', refOf(1)).length > 0);
  const saved = node.all('checkpoint', refOf(1)).at(-1);
  if (saved === undefined) throw new Violation('the state is saved before the end is told');
  const order = node.heard.map((frame) => frame.kind);
  demand(order.indexOf('checkpoint') < order.indexOf('finish'), 'checkpoint comes before finish');
  node.send(assignOf(2, 'resume', { checkpoint: saved.state }));
  const finish = await node.next('finish', { ref: refOf(2) });
  const output = finish.output ?? new Uint8Array();
  demand(Buffer.from(output).equals(saved.state), 'the checkpoint reaches the next attempt');
}

async function unknownAttempt({ node }: Stage): Promise<void> {
  await node.next('hello');
  node.send(
    { kind: 'abort', ref: refOf(9), graceMs: 0, why: 'cancelled' },
    { kind: 'confirm', refs: [refOf(9)] },
    { kind: 'stale', ref: refOf(9) },
    { kind: 'extended', ref: refOf(9), granted: true, timeoutMs: 1 },
  );
  node.send(assignOf(1, 'echo'));
  await node.next('finish', { ref: refOf(1) });
  demand(node.all('finish', refOf(9)).length === 0, 'there is no result of what it never had');
}
