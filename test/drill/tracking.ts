import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { endInEveryWay, runBatch } from '../../packages/worker/src/testing/every-end.ts';
import { FakeNode } from '../../packages/worker/src/testing/fake-node.ts';
import { Worker } from '../../packages/worker/src/worker.ts';

const AT_ONCE = 500;
const SAMPLES = 50;
/** Before it, code is compiled and pools are filled. */
const WARM_SHARE = 0.2;

export interface Tracking {
  readonly tasks: number;
  /** What the worker still tracks when all has ended. */
  readonly tracked: number;
  /** By how much memory has grown over the last four fifths, by a straight line through samples, MB. */
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
    handlers: { invoice: endInEveryWay },
  });
  await worker.start();
  const samples: { at: number; mb: number }[] = [];
  let run = 0;
  for (let from = 0; from < tasks; from += AT_ONCE) {
    const count = Math.min(AT_ONCE, tasks - from);
    await runBatch(node, worker, { from, count });
    run += count;
    const isWarm = run >= tasks * WARM_SHARE;
    if (!isWarm || run < (tasks * samples.length) / SAMPLES + tasks * WARM_SHARE) continue;
    collect();
    samples.push({ at: run, mb: process.memoryUsage.rss() / 2 ** 20 });
  }
  const { held, running, occupying, progress } = worker.tracking;
  await worker.stop({ graceMs: 0 });
  const rssGrowthMb = Math.round(slopeOf(samples) * tasks * (1 - WARM_SHARE));
  return { tasks: run, tracked: held + running + occupying + progress, rssGrowthMb };
}

/** MB for each task, by least squares: one high or low sample decides nothing. */
function slopeOf(samples: readonly { at: number; mb: number }[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const at = mean(samples.map((sample) => sample.at));
  const mb = mean(samples.map((sample) => sample.mb));
  const covariance = mean(samples.map((sample) => (sample.at - at) * (sample.mb - mb)));
  return covariance / mean(samples.map((sample) => (sample.at - at) ** 2));
}
