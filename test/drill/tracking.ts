import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { buildAssign, FakeNode } from '../../packages/worker/src/testing/fake-node.ts';
import { Worker } from '../../packages/worker/src/worker.ts';

const AT_ONCE = 500;
/** Before it, code is compiled and pools are filled. */
const WARM_SHARE = 0.2;

export interface Tracking {
  readonly tasks: number;
  /** What the worker still tracks when all has ended. */
  readonly tracked: number;
  /** By how much memory has grown after the first fifth, MB. */
  readonly rssGrowthMb: number;
}

/** Runs tasks of every kind of end on one worker, and looks at what is left of them. */
export async function drillTracking({ tasks }: { tasks: number }): Promise<Tracking> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const node = new FakeNode();
  const worker = new Worker({
    name: 'w1',
    transport: node.transport,
    total: { slots: AT_ONCE },
    handlers: {
      invoice: async (input: number, context) => {
        if (input % 5 === 0) context.progress(0.5);
        if (input % 7 === 0) throw new Error('now and then');
        if (input % 3 === 0) await context.checkpoint.save(input);
        return input;
      },
    },
  });
  await worker.start();
  const rssMb = (): number => {
    collect();
    return process.memoryUsage.rss() / 2 ** 20;
  };
  let warmMb = 0;
  let finished = 0;
  for (let at = 0; at < tasks; at += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, (_, i) =>
      buildAssign(at + i, { value: at + i, timeoutMs: 60_000 }),
    );
    node.say(...batch);
    await node.until(() => node.all('finish').length >= AT_ONCE);
    while (worker.tracking.held > 0) await setImmediate();
    finished += node.all('finish').length;
    node.heard.length = 0;
    if (warmMb === 0 && at >= tasks * WARM_SHARE) warmMb = rssMb();
  }
  const rssGrowthMb = Math.round(rssMb() - warmMb);
  const { held, running, occupying, progress } = worker.tracking;
  await worker.stop({ graceMs: 0 });
  return { tasks: finished, tracked: held + running + occupying + progress, rssGrowthMb };
}
