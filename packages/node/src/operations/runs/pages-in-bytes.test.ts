import { parseRunId, type RunId } from '@signalbox/engine';
import { PAGE_BYTES } from '@signalbox/store';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { linesSince, newLines } from '../../feed/run-lines.ts';
import { listJobs, listJobVersions, runLogs } from '../index.ts';
import { caller, SmallNode } from '../testing/small-node.ts';

const COUNT = 7;
/** Three of them fill a page. */
const LARGE = 'x'.repeat(Math.ceil(PAGE_BYTES / 3));

let node: SmallNode;
beforeEach(async () => {
  node = await SmallNode.start();
  await node.define('mail');
});
afterEach(() => node.stop());

/** Sizes of the pages that a client reads. */
async function pageSizes(
  read: (after: string | undefined) => Promise<{ items: readonly unknown[]; next?: string }>,
): Promise<number[]> {
  const sizes: number[] = [];
  for (let after: string | undefined; ; ) {
    const page = await read(after);
    sizes.push(page.items.length);
    if (page.next === undefined) return sizes;
    after = page.next;
  }
}

const go = (after: string | undefined) => (after === undefined ? {} : { after });

it('shows large log lines in pages that end by their bytes', async () => {
  const id = await node.submit({ job: 'mail' });
  const run = parseRunId(id) as RunId;
  const line = { tenant: 'acme', run, task: 0, attempt: 1, atMs: 1, stream: 'stdout' };
  await node.disk.appendLogs(
    Array.from({ length: COUNT }, (_, number) => ({ ...line, number, text: LARGE })),
  );
  const sizes = await pageSizes((after) =>
    runLogs(node.context, caller(), { id, limit: 1_000, ...go(after) }),
  );
  expect(sizes).toEqual([3, 3, 1]);
  for (const lines of [linesSince, newLines]) {
    const numbers: number[] = [];
    for await (const { number } of lines(node.context, { tenant: 'acme', run, sinceMs: 0 })) {
      numbers.push(number);
    }
    expect(numbers).toEqual([...new Array(COUNT).keys()]);
  }
});

it('lists large definitions and their versions in pages that end by their bytes', async () => {
  const { body } = (await node.disk.getDefinition({
    ...{ tenant: 'acme', kind: 'job', name: 'mail' },
  })) as { body: string };
  const large = JSON.stringify({ ...JSON.parse(body), note: LARGE });
  const put = (name: string, expectedVersion: number) =>
    node.disk.putDefinition({
      ...{ tenant: 'acme', kind: 'job', name, expectedVersion, body: large, author: 'ann' },
    });
  for (let i = 0; i < COUNT; i++) {
    await put('report', i);
    await put(`z-${i}`, 0);
  }
  const jobs = await pageSizes((after) =>
    listJobs(node.context, caller(), { limit: 1_000, ...go(after) }),
  );
  // The small one and three large ones, three large ones, two.
  expect(jobs).toEqual([4, 3, 2]);
  const versions = await pageSizes((after) =>
    listJobVersions(node.context, caller(), {
      ...{ name: 'report', limit: 1_000 },
      ...go(after),
    }),
  );
  expect(versions).toEqual([3, 3, 1]);
});
