import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandNode } from '../testing/command-node.ts';

let node: CommandNode;

beforeAll(async () => {
  node = await CommandNode.start();
  await node.define('report');
});
afterAll(() => node.stop());

const command = (...args: string[]) => node.run(args);
const run = (...args: string[]) => command('schedules', ...args);

describe('signalbox schedules', () => {
  it('creates, lists, shows, changes, pauses, resumes and deletes', async () => {
    expect((await run('list')).err).toContain('no schedules');
    const cron = ['--cron', '30 2 * * *', '--timezone', 'Europe/Berlin'];
    const made = await run('create', 'nightly', 'report', ...cron, '--jitter', '30s');
    expect(made).toMatchObject({ code: 0 });
    expect(made.out).toContain('jitter: 30s');
    expect((await run()).out).toMatch(/^nightly\treport\tactive\t30 2 \* \* \* Europe\/Berlin\t2/);
    const changed = await run('update', 'nightly', '--cron', '0 4 * * *');
    expect(changed.code, changed.err).toBe(0);
    expect(changed.out).toMatch(/changed: +when/);
    expect(changed.out).toContain('jitter: 30s');
    expect(changed.out).toContain('zone: Europe/Berlin');
    expect((await run('pause', 'nightly')).out).toBe('nightly is paused\n');
    expect(JSON.parse((await run('show', 'nightly', '--json')).out)).toMatchObject({
      state: 'paused',
      version: 3,
    });
    await run('resume', 'nightly');
    expect((await run('delete', 'nightly')).code).toBe(0);
    expect((await run('trigger', 'nightly')).code).toBe(3);
  });

  it('does not create a name that exists, and updates none that is absent', async () => {
    expect((await run('create', 'taken', 'report', '--every', '5m')).code).toBe(0);
    const again = await run('create', 'taken', 'report', '--every', '6m');
    expect(again.code).toBe(6);
    expect(again.err).toContain('a schedule named "taken" already exists');
    expect(again.err).toContain('signalbox schedules update taken');
    const shown = async () => JSON.parse((await run('show', 'taken', '--json')).out);
    expect(await shown()).toMatchObject({ version: 1, definition: { every: '5m' } });
    const absent = await run('update', 'absent', '--every', '6m');
    expect(absent.code).toBe(3);
    expect(absent.err).toContain('there is no schedule "absent"');
    // A deleted name is free again.
    await run('delete', 'taken');
    expect((await run('create', 'taken', 'report', '--every', '6m')).code).toBe(0);
  });

  it('an update keeps what is not named, and another kind of time takes the place of the one before', async () => {
    const cron = ['--cron', '0 4 * * *', '--timezone', 'Europe/Berlin', '--dst-gap', 'skip'];
    const more = ['--overlap', 'skip', '--catch-up-max-windows', '5', '--input', '{"a":1}'];
    await run('create', 'kept', 'report', ...cron, ...more);
    const updated = async (...args: string[]) => {
      const done = await run('update', 'kept', ...args, '--json');
      expect(done.code, done.err).toBe(0);
      return JSON.parse(done.out).definition;
    };
    expect(await updated('--catch-up-order', 'oldest', '--input', '{"a":2}')).toEqual({
      ...{
        job: 'report',
        cron: '0 4 * * *',
        timezone: 'Europe/Berlin',
        dstGap: 'skip',
        jitter: '0s',
      },
      ...{ overlap: 'skip', catchUp: { maxWindows: 5, order: 'oldest' }, input: { a: 2 } },
    });
    const every = await updated('--every', '6h');
    expect(every).toMatchObject({ every: '6h', overlap: 'skip', input: { a: 2 } });
    expect(every).not.toHaveProperty('cron');
    expect(every).not.toHaveProperty('timezone');
    const again = await updated('--cron', '@daily');
    expect(again).toMatchObject({ cron: '@daily', timezone: 'UTC' });
    expect(again).not.toHaveProperty('every');
    expect(again).not.toHaveProperty('anchorAt');
    const two = await run('update', 'kept', '--cron', '@daily', '--every', '5m');
    expect(two).toMatchObject({ code: 2, err: expect.stringMatching(/one of --cron, --every/) });
  });

  it('sets every policy, takes inputs as submit does, and instants from now', async () => {
    const policies = [
      '--catch-up-max-windows',
      '5',
      '--catch-up-max-age',
      '1d',
      '--catch-up-order',
      'oldest',
    ];
    const times = [
      '--dst-gap',
      'skip',
      '--dst-overlap',
      'both',
      '--start-at',
      '1h',
      '--end-at',
      '30d',
    ];
    const others = [
      '--priority',
      'P0',
      '--starting-deadline',
      '2m',
      '--after-pause',
      'catchUp',
      '--input',
      'Ada',
    ];
    const made = await run(
      ...['create', 'full', 'report', '--cron', '0 4 * * *', '--json'],
      ...[...policies, ...times, ...others],
    );
    expect(made.code, made.err).toBe(0);
    const { definition } = JSON.parse(made.out);
    expect(definition).toMatchObject({
      catchUp: { maxWindows: 5, maxAge: '1d', order: 'oldest' },
      dstGap: 'skip',
      dstOverlap: 'both',
      priority: 'P0',
      startingDeadline: '2m',
      afterPause: 'catchUp',
      input: 'Ada',
    });
    const aheadMs = Date.parse(definition.endAt) - Date.parse(definition.startAt);
    expect(aheadMs).toBe(30 * 86_400_000 - 3_600_000);
    const once = await run('create', 'once', 'report', '--run-at', '90m', '--json');
    const runAt = Date.parse(JSON.parse(once.out).definition.runAt);
    expect(Math.abs(runAt - Date.now() - 5_400_000)).toBeLessThan(60_000);
  });

  it('a timeline is as long as it is asked for, what is planned included', async () => {
    await run('create', 'long', 'report', '--every', '1m');
    expect((await run('timeline', 'long', '-n', '4')).out.trim().split('\n')).toHaveLength(2);
    await run('backfill', 'long', '--from', '-10m', '--until', 'now');
    const lines = (await run('timeline', 'long', '-n', '4')).out.trim().split('\n');
    expect(lines).toHaveLength(4);
    expect(lines.filter((line) => line.includes('planned'))).toHaveLength(2);
    expect(lines.filter((line) => line.includes('backfilled'))).toHaveLength(2);
  });

  it('shows the timeline, and fills the past', async () => {
    await run('create', 'beat', 'report', '--every', '1m');
    expect((await run('timeline', 'beat')).out.split('\n')[0]).toMatch(/^\S+Z\tplanned/);
    const now = Date.now();
    const range = [
      '--from',
      new Date(now - 300_000).toISOString(),
      '--until',
      new Date(now).toISOString(),
    ];
    const dry = JSON.parse((await run('backfill', 'beat', ...range, '--dry-run', '--json')).out);
    expect(dry).toMatchObject({ dryRun: true, missing: 5 });
    const done = await run('backfill', 'beat', ...range);
    expect(done.err).toContain('5 runs made');
    const again = await run('backfill', 'beat', ...range);
    expect(again.err).toContain('0 runs made');
    expect(again.out).toBe(done.out.replaceAll('\n', '  was there\n'));
    const [window = '', id = ''] = (done.out.split('\n')[0] ?? '').split('  ');
    expect((await command('runs', 'list')).out).toContain(`backfill beat ${window}`);
    for (const args of [['runs', 'show'], ['why']]) {
      expect((await command(...args, `beat_${window}`)).out).toContain(id);
    }
    expect((await command('why', `beat_${window}:main`)).out).toContain(`${id}:main`);
    expect((await run('timeline', 'beat')).out.match(/backfilled/g)).toHaveLength(5);
    expect((await run('trigger', 'beat')).out).toMatch(/^[0-9a-f-]{36}\n$/);
  });

  it('fills the past up to now unless told until when', async () => {
    await run('create', 'open', 'report', '--every', '1m');
    const { code, err, out } = await run(
      'backfill',
      'open',
      '--from',
      '-5m',
      '--dry-run',
      '--json',
    );
    expect(code, err).toBe(0);
    // A window that passes between the two commands is the schedule's own to decide.
    expect(JSON.parse(out).missing).toBeGreaterThanOrEqual(4);
    expect((await run('backfill', '--help')).out).toMatch(/--until .*\(default: "now"\)/);
    expect((await run('backfill', 'open')).err).toContain('--from');
  });

  it('mistakes are told with the option and a hint, and change nothing', async () => {
    const { code, err } = await run('create', 'bad', 'report', '--cron', '0 0 30 2 *');
    expect(code).toBe(2);
    expect(err).toMatch(/error: --cron: /);
    expect(err).toContain('signalbox schedules preview');
    const cron = ['--cron', '@daily'];
    const mistakes: [string[], RegExp][] = [
      [['bad', 'report'], /one of --cron, --every and --run-at/],
      [['bad', 'report', ...cron, '--every', '5m'], /one of --cron, --every and --run-at/],
      [
        ['bad', 'report', ...cron, '--timezone', 'Mars/Base'],
        /--timezone: .*Mars.*\n.*Europe\/Berlin/,
      ],
      [['bad', 'report', '--every', '10ms'], /--every: .*\n.*second/],
      [['bad', 'report', '--every', '5m', '--jitter', '1h'], /--jitter: .*\n.*5m/],
      [['bad', 'report', '--every', '5m', '--dst-gap', 'skip'], /--dst-gap: .*\n.*--cron/],
      [['bad', 'report', ...cron, '--calendar', 'none'], /--calendar: .*none.*\n.*calendars/],
      [['bad', 'no-job', ...cron], /there is no job "no-job"\n.*signalbox jobs/],
      [['bad', 'report', '--run-at', 'soon'], /--run-at "soon" is not a time\n.*90m/],
    ];
    for (const [args, message] of mistakes) {
      const refused = await run('create', ...args);
      expect(refused.code, refused.err).not.toBe(0);
      expect(refused.err).toMatch(message);
      expect(refused.err).not.toContain('definition.');
    }
    expect((await run('show', 'bad')).err).toContain('to list them: signalbox schedules');
    expect((await run('create', 'bad', 'report', '--every', 'often')).err).toContain(
      '--every "often"',
    );
    expect((await run('show', 'bad')).code).toBe(3);
  });
});
