import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { job, Signalbox } from 'signalbox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { etl } from '../../examples/etl/etl.ts';
import { EXAMPLE_JOBS } from '../../packages/cli/src/dev/example-jobs.ts';
import { CommandNode } from '../../packages/cli/src/testing/command-node.ts';
import { BLOCKS, type Block, ROOT } from './blocks.ts';
import { shellCommands } from './shell-commands.ts';

/** Pages whose command lines are typed beside a running node, block by block, as a reader would. */
const PAGES = new Set([
  'README.md',
  'docs/cli.md',
  'docs/cron.md',
  'docs/events.md',
  'docs/operations.md',
  'docs/pipelines.md',
  'docs/schedules.md',
]);

/** Processes that run until they are stopped; other tests start them. */
const SERVERS = new Set(['dev', 'node', 'worker']);
/** Needs a run that has failed, after minutes of attempts: packages/cli/src/commands/runs-show.test.ts retries one. */
const ELSEWHERE = new Set(['retry']);
/** Jobs that the samples name and no page defines. */
const JOBS = ['invoice', 'report', 'load', 'build', 'roll'];
/** What a comment promises of the output of its line. */
const OUTPUTS = new Map([
  ['submit hello Ada --wait', 'hello, Ada'],
  ['submit count {"to":3} --wait', 'counted to 3'],
  ['schedules preview --stdin', '{"next":["2025-11-02T05:30:00.000Z","2025-11-03T06:30:00.000Z"]}'],
]);

let node: CommandNode;
let box: Signalbox;
const folder = mkdtempSync(join(tmpdir(), 'signalbox-pages-'));

beforeAll(async () => {
  symlinkSync(join(ROOT, 'examples'), join(folder, 'examples'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const calendar = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', 'BEGIN:VEVENT'];
  const event = ['UID:1', 'DTSTART;VALUE=DATE:20261225', 'SUMMARY:closed', 'END:VEVENT'];
  writeFileSync(
    join(folder, 'holidays.ics'),
    [...calendar, ...event, 'END:VCALENDAR', ''].join('\r\n'),
  );
  const sent = { specversion: '1.0', id: 'e-2', source: '/shop', type: 'order.paid' };
  writeFileSync(
    join(folder, 'event.json'),
    JSON.stringify({ ...sent, data: { order: 7, total: 120 } }),
  );
  const jobs = BLOCKS.find(({ page, file }) => page === 'README.md' && file === 'jobs.ts');
  writeFileSync(join(folder, 'jobs.ts'), jobs?.text ?? '');
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  node = await CommandNode.start();
  box = await Signalbox.connect(node.url, { key: node.key });
  const own = [
    ...EXAMPLE_JOBS.map(({ name, definition: { tasks: [task] = [] }, handler }) =>
      job(name, { ...(task?.retry && { retry: task.retry }) }, handler as never),
    ),
    ...JOBS.map((name) => job(name, () => ({ rows: 1 }))),
    job('count', ({ to }: { to: number }) => `counted to ${to}`),
  ];
  await box.work([...own, etl], { executors: ['command'] });
});

afterAll(async () => {
  await box.close();
  await node.stop();
  rmSync(folder, { recursive: true });
});

/** The commands of a block that can be typed here, with what `echo` in front of a pipe sends to them. */
function typedIn({ text }: Block): { words: readonly string[]; input: string }[] {
  let input = '';
  return shellCommands(text).flatMap(({ words: [program = '', ...words] }) => {
    if (program === 'echo') input = `${words.join(' ')}\n`;
    const isOurs = program === 'signalbox' || program === './signalbox';
    const [command = ''] = words;
    const isRun = isOurs && !SERVERS.has(command) && !ELSEWHERE.has(command);
    return isRun ? [{ words, input }] : [];
  });
}

/** A person reads the output of a line before typing the next one: a task waits by then. */
async function untilWaiting(): Promise<void> {
  await vi.waitFor(
    async () => expect((await node.run(['why', 'last'])).out).toContain('signalbox approve'),
    20_000,
  );
}

const samples = BLOCKS.filter(
  ({ language, file, page }) => language === 'sh' && file === '' && PAGES.has(page),
).filter((block) => typedIn(block).length > 0);

describe('shell samples beside a running node', () => {
  it('are found', () => expect(samples.length).toBeGreaterThan(12));

  it.each(samples)(
    '$page line $line does what it says',
    async (block) => {
      for (const { words, input } of typedIn(block)) {
        const line = words.join(' ');
        if (words[0] === 'approve') await untilWaiting();
        const { code, out, err } = await node.run(words, { cwd: folder, input, answer: true });
        expect([line, code, err], out).toEqual([line, 0, expect.anything()]);
        expect([line, out]).toEqual([line, expect.stringContaining(OUTPUTS.get(line) ?? '')]);
      }
    },
    60_000,
  );
});
