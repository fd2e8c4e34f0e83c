// One life of a process that submits and runs tasks until it is killed: ADDRESS EVIDENCE FROM COUNT.
// Prints the number of acknowledged tasks after every batch, and `done` when nothing is open.
import { openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { job, Signalbox } from 'signalbox';

const BATCH = 1_000;
const JOBS = 20;
/** Tasks that may be acknowledged and not yet run: a kill meets some in every state. */
const AHEAD = 5_000;

const [address = '', evidence = '', from = '0', count = '0'] = process.argv.slice(2);
const file = openSync(evidence, 'r+');
const mark = Uint8Array.of(1);
let handled = 0;

/** A byte per task, outside the product: which handlers have run. */
const handle = (n: number): void => {
  writeSync(file, mark, 0, 1, n);
  handled++;
};

/** Several jobs: what a kill interrupts is tried again, at most a hundred a minute of one job. */
const jobs = Array.from({ length: JOBS }, (_, i) =>
  job(`task-${i}`, { retry: { maxAttempts: 20, backoff: { type: 'fixed', delay: 1 } } }, handle),
);

const box = await Signalbox.open(address);
await box.work(jobs, { concurrency: 200 });
for (let at = Number(from); at < Number(count); at += BATCH) {
  while (at - Number(from) - handled > AHEAD) await delay(5);
  const length = Math.min(BATCH, Number(count) - at);
  const items = Array.from({ length }, (_, i) => {
    return { input: at + i, idempotencyKey: `task-${at + i}` };
  });
  await box.submitMany(jobs[(at / BATCH) % JOBS] as (typeof jobs)[number], items);
  process.stdout.write(`${at + length}\n`);
}
/** A page of a state may be empty although later ones are not. */
async function hasOpen(state: 'PENDING' | 'RUNNING'): Promise<boolean> {
  for (let cursor: string | undefined; ; ) {
    const page = await box.runs.list({
      state,
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    });
    if (page.items.length > 0 || page.next === undefined) return page.items.length > 0;
    cursor = page.next;
  }
}
// It reads every run: not so often that the node, in the same process, has no time for anything else.
while ((await hasOpen('PENDING')) || (await hasOpen('RUNNING'))) await delay(3_000);
await box.close();
process.stdout.write('done\n');
