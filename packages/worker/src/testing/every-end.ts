import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { HandlerContext } from '../executors/handler/handler.ts';
import type { Worker } from '../worker.ts';
import { buildAssign, buildRef, type FakeNode } from './fake-node.ts';

/** One attempt in 50 is stopped by its node for each of these reasons: the handler waits until then. */
const STOPPED_BY = ['timeout', 'cancelled', 'stale'] as const;
const ONE_IN = 50;

const stoppedBy = (n: number): (typeof STOPPED_BY)[number] | undefined => STOPPED_BY[n % ONE_IN];

/** Ends in every way: with a result, an error, after its timeout, cancelled, and superseded. */
export async function endInEveryWay(input: number, context: HandlerContext): Promise<number> {
  if (input % 5 === 0) context.progress(0.5);
  if (stoppedBy(input) !== undefined) {
    if (!context.signal.aborted) await once(context.signal, 'abort');
    throw new Error('stopped');
  }
  if (input % 7 === 0) throw new Error('now and then');
  if (input % 3 === 0) await context.checkpoint.save(input);
  return input;
}

/** Runs a batch of such attempts on the worker until it holds none of them; returns how many results it sent. */
export async function runBatch(
  node: FakeNode,
  worker: Worker,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<number> {
  const numbers = Array.from({ length: count }, (_, i) => from + i);
  node.send(...numbers.map((n) => buildAssign(n, { value: n, timeoutMs: 60_000 })));
  for (const n of numbers) {
    const why = stoppedBy(n);
    const ref = buildRef(n);
    if (why === 'stale') node.send({ kind: 'stale', ref });
    else if (why !== undefined) node.send({ kind: 'abort', ref, graceMs: 1_000, why });
  }
  // Nobody waits for the result of a superseded attempt.
  const results = numbers.filter((n) => stoppedBy(n) !== 'stale').length;
  await node.until(() => node.all('finish').length >= results);
  while (worker.tracking.held + worker.tracking.occupying > 0) await setImmediate();
  const sent = node.all('finish').length;
  node.heard.length = 0;
  return sent;
}
