import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../program.ts';
import { CommandNode } from '../testing/command-node.ts';

let node: CommandNode;
let folder = '';

beforeAll(async () => {
  node = await CommandNode.start();
});
afterAll(() => node.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-apply-'));
  return () => rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

const run = (...args: string[]) => node.run(args, { cwd: folder });

const ETL = `kind: Job
name: etl
failurePolicy: SKIP_FAILED
tasks:
  - name: list
  - name: convert
    after: [list]
    fanOut: { from: list, path: files }
---
kind: Schedule
name: etl-nightly
job: etl
cron: '30 2 * * *'
timezone: Europe/Berlin
---
kind: Schedule
name: etl-often
job: etl
every: 60000
`;

describe('signalbox apply and diff', () => {
  it('defines jobs and their schedules together, and the same files change nothing', async () => {
    write('etl.yaml', ETL);
    const before = await run('diff', '-f', 'etl.yaml');
    expect(before).toMatchObject({ code: 1, err: '' });
    expect(before.out).toContain('+ job etl: new (etl.yaml:1)');
    expect(before.out).toContain('+ schedule etl-nightly: new (etl.yaml:10)');
    const applied = await run('apply', '-f', 'etl.yaml', '--yes');
    expect(applied).toMatchObject({ code: 0, err: '' });
    expect(applied.out).toContain('etl-nightly has version 1');
    // What the node adds by itself, like the anchor of an interval, is no difference.
    expect(await run('diff', '-f', 'etl.yaml')).toMatchObject({ code: 0 });
    const again = await run('apply', '-f', 'etl.yaml', '--json');
    expect(
      again.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { kind: 'Job', name: 'etl', outcome: 'unchanged', version: 1 },
      { kind: 'Schedule', name: 'etl-nightly', outcome: 'unchanged', version: 1 },
      { kind: 'Schedule', name: 'etl-often', outcome: 'unchanged', version: 1 },
    ]);
  });

  it('tells a change field by field, and a dry run changes nothing', async () => {
    write('etl.yaml', ETL.replace('30 2', '45 3').replace('SKIP_FAILED', 'CONTINUE'));
    const dry = await run('apply', '-f', 'etl.yaml', '--dry-run');
    expect(dry.code).toBe(0);
    expect(dry.out).toContain('~ failurePolicy: "SKIP_FAILED" → "CONTINUE"');
    expect(dry.out).toContain('~ cron: "30 2 * * *" → "45 3 * * *"');
    const told = await run('apply', '-f', 'etl.yaml', '--dry-run', '--json');
    expect(JSON.parse(told.out.split('\n')[1] ?? '')).toEqual({
      kind: 'Schedule',
      name: 'etl-nightly',
      outcome: 'changed',
      version: 1,
      differences: [{ path: 'cron', before: '30 2 * * *', after: '45 3 * * *' }],
    });
    expect((await run('diff', '-f', 'etl.yaml')).code).toBe(1);
  });

  it('names file, line and field of everything that is wrong, and changes nothing', async () => {
    write('a.yaml', '# two\nkind: Job\nname: a\ntasks:\n  - name: x\n    after: [y]\n');
    write('b.yaml', 'name: b\ntasks:\n  - name: x\n    handlr: x\n');
    write('c.yaml', 'kind: Schedule\nname: c\njob: etl\n\ncron: nonsense\n');
    write('d.yaml', 'name: d\n');
    const { code, err } = await run('apply', '-f', '.', '--yes');
    expect(code).toBe(2);
    expect(err.trim().split('\n')).toEqual([
      'error: a.yaml:6: job a: tasks[0].after[0]: task "x" comes after "y", which is not a task of the job',
      'error: b.yaml:4: job b: tasks[0].handlr: unknown field',
      expect.stringMatching(/^error: c\.yaml:5: schedule c: cron: /),
      'error: 3 definitions are invalid; nothing was changed',
    ]);
    expect((await run('jobs', 'show', 'd')).code).toBe(3);
  });

  it.each([
    [
      'tasks:\n  - name: x\n    failurePolicy: CONTINUE\n',
      5,
      'tasks[0].failurePolicy',
      'the field belongs to the job, not to a task',
    ],
    [
      'tasks:\n  - name: x\n    schedule: daily\n',
      5,
      'tasks[0].schedule',
      'use a separate definition of kind Schedule',
    ],
    ['cron: 0 3 * * *\n', 3, 'cron', 'use a separate definition of kind Schedule'],
    ['approval: {}\n', 3, 'approval', 'the field belongs to a task, not to the job'],
    [
      'tasks:\n  - name: x\n    maxAttempts: 3\n',
      5,
      'tasks[0].maxAttempts',
      'the field belongs to retry of a task, not to a task',
    ],
    ['timeout: 10s\n', 3, 'timeout', 'the field belongs to a task, not to the job'],
    ['maxFanOut: 3\n', 3, 'maxFanOut', 'the field belongs to limits of the job, not to the job'],
  ])(
    'says where a field belongs that is in the wrong place: %j',
    async (text, line, field, home) => {
      write('home.yaml', `kind: Job\nname: home\n${text}`);
      const { code, err } = await run('apply', '-f', 'home.yaml', '--yes');
      expect([code, err]).toEqual([
        2,
        expect.stringContaining(
          `error: home.yaml:${line}: job home: ${field}: unknown field; ${home}`,
        ),
      ]);
    },
  );

  it('refuses a resource that does not exist', async () => {
    write('slot.yaml', 'kind: Job\nname: slot\ntasks:\n  - resources: { slot: 3 }\n');
    const { code, err } = await run('apply', '-f', 'slot.yaml', '--yes');
    expect([code, err]).toEqual([2, expect.stringContaining('tasks[0].resources.slot: unknown')]);
  });

  it('checks what belongs to a new job too, before anything is made', async () => {
    const wrong = [
      'kind: Schedule\nname: s\njob: fresh\ncron: "99 99 * * *"\n',
      'kind: Schedule\nname: s\njob: fresh\ncron: "0 3 * * *"\ncalendar: nobody\n',
      'kind: Trigger\nname: t\njob: fresh\ntype: x\nfilter: event.data.size >\n',
    ];
    for (const definition of wrong) {
      write('new.yaml', `kind: Job\nname: fresh\n---\n${definition}`);
      for (const more of ['--dry-run', '--yes']) {
        const { code, err } = await run('apply', '-f', 'new.yaml', more);
        expect([code, err]).toEqual([2, expect.stringMatching(/^error: new\.yaml:\d: /)]);
      }
      expect((await run('jobs', 'show', 'fresh')).code).toBe(3);
    }
  });

  it('makes a deleted job again beside a schedule that is still there', async () => {
    write(
      'back.yaml',
      'name: back\n---\nkind: Schedule\nname: back-s\njob: back\ncron: "0 3 * * *"\n',
    );
    expect((await run('apply', '-f', 'back.yaml', '--yes')).code).toBe(0);
    expect((await run('jobs', 'delete', 'back')).code).toBe(0);
    const again = await run('apply', '-f', 'back.yaml', '--yes');
    expect([again.code, again.err]).toEqual([0, '']);
    expect(await run('diff', '-f', 'back.yaml')).toMatchObject({ code: 0 });
  });

  it('names the file of an alias that stands for nothing', async () => {
    write('alias.yaml', 'name: x\nlabels: *none\n');
    const { code, err } = await run('apply', '-f', 'alias.yaml', '--yes');
    expect([code, err]).toEqual([2, expect.stringMatching(/^error: alias\.yaml: .*none/)]);
    const tasks = Array.from({ length: 120 }, (_, i) => `  - {name: t${i}, retry: *r}`);
    write('alias.yaml', `name: y\nretry: &r {maxAttempts: 2}\ntasks:\n${tasks.join('\n')}\n`);
    expect(await run('apply', '-f', 'alias.yaml', '--yes')).toMatchObject({ code: 2 });
  });

  it('defines triggers, and tells what changes in them', async () => {
    const trigger = 'kind: Trigger\nname: etl-on-files\njob: etl\ntype: file.added\n';
    write('trigger.yaml', trigger);
    expect(await run('apply', '-f', 'trigger.yaml', '--yes')).toMatchObject({ code: 0, err: '' });
    expect(await run('diff', '-f', 'trigger.yaml')).toMatchObject({ code: 0 });
    write('trigger.yaml', `${trigger}filter: event.data.size > 0\n`);
    const changed = await run('diff', '-f', 'trigger.yaml');
    expect(changed).toMatchObject({ code: 1 });
    expect(changed.out).toContain('+ filter: "event.data.size > 0"');
    write('trigger.yaml', `${trigger}filter: event.data.size >\n`);
    const { code, err } = await run('diff', '-f', 'trigger.yaml');
    expect(code).toBe(2);
    expect(err).toMatch(/^error: trigger\.yaml:5: trigger etl-on-files: filter: /);
  });

  it('names what a schedule refers to and nobody has', async () => {
    write('c.yaml', 'kind: Schedule\nname: c\njob: nobody\ncron: "@daily"\n');
    const { code, err } = await run('diff', '-f', 'c.yaml');
    expect(code).toBe(2);
    expect(err).toBe('error: c.yaml:1: schedule c: there is no job "nobody"\n');
  });

  it('deletes what no file names only where it is told to', async () => {
    write('etl.yaml', ETL.split('---\n').slice(0, 2).join('---\n'));
    expect(await run('diff', '-f', 'etl.yaml')).toMatchObject({ code: 0 });
    const asked = await run('diff', '-f', 'etl.yaml', '--prune');
    expect(asked).toMatchObject({ code: 1 });
    expect(asked.out).toContain('- schedule etl-often: deleted, as no file names it');
    expect(asked.out).not.toContain('- job etl');
    expect((await run('apply', '-f', 'etl.yaml', '--prune', '--yes')).code).toBe(0);
    expect((await run('schedules', 'list')).out).not.toContain('etl-often');
  });

  it('takes no for an answer, and says how to go ahead only where nobody can be asked', async () => {
    write('new.yaml', 'name: unwanted\n');
    const app = node.app({ cwd: folder });
    const confirm = async (): Promise<boolean> => false;
    expect(await runCommand({ ...app, confirm }, ['apply', '-f', 'new.yaml'])).toBe(1);
    expect(app.texts.err).toBe('nothing was changed\n');
    const alone = await run('apply', '-f', 'new.yaml');
    expect(alone).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    expect((await run('jobs', 'show', 'unwanted')).code).toBe(3);
  });

  it('API-12 stops where somebody else was faster, and says so', async () => {
    write('etl.yaml', ETL.replace('SKIP_FAILED', 'PAUSE'));
    const app = node.app({ cwd: folder });
    const confirm = async (): Promise<boolean> => {
      write('other.yaml', ETL.replace('SKIP_FAILED', 'FAIL_AFTER_ALL'));
      expect((await run('apply', '-f', 'other.yaml', '--yes')).code).toBe(0);
      return true;
    };
    expect(await runCommand({ ...app, confirm }, ['apply', '-f', 'etl.yaml'])).toBe(6);
    expect(app.texts.err).toContain('the job etl was changed by another request');
    expect((await run('jobs', 'show', 'etl')).out).toContain('FAIL_AFTER_ALL');
  });
});
