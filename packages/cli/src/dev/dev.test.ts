import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Job, Key, LogLine, RunView, Submitted } from '@signalbox/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, World } from '../testing/child.ts';

const world = new World();
let dev: Running;

async function json<T>(args: string[]): Promise<T> {
  const { code, out, err } = await world.call([...args, '--json']);
  expect(err).toBe('');
  expect(code).toBe(0);
  return JSON.parse(out) as T;
}

function startDev(): Running {
  return world.start(['dev', '--port', '0']);
}

describe('signalbox dev', () => {
  beforeAll(async () => {
    dev = startDev();
    await dev.printed(/first run of hello: SUCCEEDED/);
  }, 60_000);
  afterAll(() => world.remove());

  it('SEC-01 prints where it is, how to read the key, and what to try; never the key', async () => {
    const [line, value = ''] = await dev.printed(/export SIGNALBOX_KEY=(.+)/);
    const path = join(world.folder, '.signalbox', 'key');
    const key = readFileSync(path, 'utf8').trim();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(value).not.toContain(key);
    const shell = execFileSync('sh', ['-c', `${line}; printf %s "$SIGNALBOX_KEY"`], { cwd: '/' });
    expect(shell.toString()).toBe(key);
    const [first] = await dev.printed(new RegExp(`Ctrl-C to stop|${key}`));
    expect(first).toBe('Ctrl-C to stop');
    await dev.printed(/ready at http:\/\/127\.0\.0\.1:\d+/);
    await dev.printed(/submit hello Ada --wait/);
  });

  it('API-16 submits, waits and prints the output; the exit code says how it ended', async () => {
    const done = await world.run(['submit', 'hello', '{"name":"Ada"}', '--wait']);
    expect(done).toMatchObject({ code: 0, out: 'hello, Ada\n' });
    expect(done.err).toContain('SUCCEEDED');
    const failed = await world.run(['submit', 'nope']);
    expect(failed.code).toBe(3);
    expect(failed.err).toContain('error: there is no job "nope"');
    expect(failed.err).toContain('signalbox apply -f jobs.ts');
  });

  it('gives the same run for the same key', async () => {
    const first = await json<Submitted>(['submit', 'hello', '--idempotency-key', 'order-7']);
    const second = await json<Submitted>(['submit', 'hello', '--idempotency-key', 'order-7']);
    expect(first.created).toBe(true);
    expect(second).toEqual({ ...first, created: false });
  });

  it('API-16 shows a run that failed twice, its attempts and its log', async () => {
    const run = await json<RunView>(['submit', 'flaky', '--wait']);
    expect(run).toMatchObject({ state: 'SUCCEEDED', output: { attempts: 3 } });
    const shown = await json<RunView>(['runs', 'show', run.id.slice(0, 20)]);
    expect(shown.tasks[0]?.attempts.map(({ outcome }) => outcome)).toHaveLength(3);
    const { out } = await world.call(['logs', run.id]);
    const printed = out.split('\n').filter((line) => /^main#\d {2}attempt/.test(line));
    expect(printed).toEqual(['main#1  attempt 1', 'main#2  attempt 2', 'main#3  attempt 3']);
    expect(out).toMatch(/^main#1 {2}Error: /m);
    const lines = (await world.call(['logs', `${run.id}:main`, '--json'])).out.trim().split('\n');
    const attempts = lines.map((line) => (JSON.parse(line) as LogLine).attempt);
    expect([...new Set(attempts)]).toEqual([1, 2, 3]);
    const task = await world.call(['tasks', 'show', `${run.id}:main`]);
    expect(task.out).toContain('SUCCEEDED');
  });

  it('prints each failed attempt, with its run and error', async () => {
    const { id } = await json<Submitted>(['submit', 'flaky']);
    await dev.printed(
      new RegExp(`attempt failed .* run="${id}" .* error="attempt 1 fails on purpose"`),
    );
  });

  it('follows a log to the end of the run', async () => {
    const { id } = await json<Submitted>(['submit', 'slow']);
    const { code, out } = await world.call(['logs', id, '-f']);
    expect(code).toBe(0);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => line.replace('main#1  ', '')),
    ).toEqual(Array.from({ length: 10 }, (_, i) => `step ${i + 1} of 10`));
  });

  it('API-16 says why a task waits, cancels it, and runs it again', async () => {
    const { id } = await json<Submitted>(['submit', 'hello', '--delay', '1h']);
    const why = await world.call(['why', id]);
    expect(why.code).toBe(0);
    expect(why.out).toContain(`${id}:main`);
    expect(why.out).toContain('PENDING');
    const cancelled = await json<RunView>(['cancel', id, '--reason', 'not needed']);
    expect(cancelled.state).toBe('CANCELLED');
    const again = await json<RunView>(['retry', id, '--wait']);
    expect(again.state).toBe('SUCCEEDED');
    expect(again.id).not.toBe(id);
    expect((await world.call(['retry', '00000000-0000-7000-8000-000000000000'])).code).toBe(3);
  });

  it('stops waiting with its own exit code, and the run goes on', async () => {
    const { code, err } = await world.call(['submit', 'hello', '--delay', '1h', '--wait', '50ms']);
    expect(code).toBe(7);
    expect(err).toContain('goes on');
  });

  it('says what a run waits for that does not begin', async () => {
    writeFileSync(join(world.folder, 'nobody.yaml'), 'job: nobody\n');
    await world.call(['apply', '-f', 'nobody.yaml', '--yes']);
    const { code, err } = await world.call(['submit', 'nobody', '--wait', '4s']);
    expect(code).toBe(7);
    expect(err).toContain(
      'waiting: None of 1 worker offers everything that the task requires. The closest, dev, lacks the executor handler:nobody',
    );
    expect(err).toContain('signalbox worker --jobs jobs.ts');
  });

  it('lists runs newest first, by state', async () => {
    const { id } = await json<Submitted>(['submit', 'hello', '--delay', '1h']);
    const { out } = await world.call(['runs', 'list', '--state', 'pending', '--limit', '1']);
    expect(out.split('\t').slice(0, 4)).toEqual([id, 'hello', 'P1', 'PENDING']);
    expect((await world.call(['runs', 'list', '--state', 'odd'])).code).toBe(2);
    expect((await json<RunView>(['runs', 'show', 'last'])).id).toBe(id);
  });

  it('lists tasks, those of the newest run first, by state', async () => {
    const { id } = await json<Submitted>(['submit', 'hello', '--delay', '1h']);
    const { out } = await world.call(['tasks', 'list', '--state', 'pending', '--limit', '1']);
    expect(out.split('\t').slice(0, 2)).toEqual([`${id}:main`, 'PENDING']);
    expect((await world.call(['tasks', 'list', '--state', 'odd'])).code).toBe(2);
  });

  it('applies definitions: shows the difference, changes, and changes nothing the second time', async () => {
    mkdirSync(join(world.folder, 'jobs'));
    const file = join(world.folder, 'jobs', 'report.yaml');
    writeFileSync(file, 'job: report\ntasks:\n  - handler: hello\n');
    expect((await world.call(['diff', '-f', 'jobs'])).code).toBe(1);
    const refused = await world.call(['apply', '-f', 'jobs']);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('nothing was changed');
    expect((await world.call(['jobs', 'show', 'report'])).code).toBe(3);
    const applied = await world.call(['apply', '-f', 'jobs', '--yes']);
    expect(applied.out).toContain('+ job report: new');
    expect((await world.call(['diff', '-f', 'jobs'])).code).toBe(0);
    writeFileSync(file, 'job: report\npriority: P0\ntasks:\n  - handler: hello\n');
    const changed = await world.call(['apply', '-f', 'jobs', '--yes']);
    expect(changed.out).toContain('+ priority: "P0"');
    expect(changed.out).toContain('report has version 2');
    expect((await world.call(['apply', '-f', 'jobs', '--yes'])).out).toContain('nothing to change');
    expect(await json<Job>(['jobs', 'show', 'report'])).toMatchObject({ version: 2 });
    expect((await world.call(['submit', 'report', 'Ada', '--wait'])).out).toBe('hello, Ada\n');
    writeFileSync(file, 'job: report\ntasks:\n  - handlr: hello\n');
    expect((await world.call(['apply', '-f', 'jobs', '--yes'])).code).toBe(2);
  });

  it('pauses a job: submissions are refused with the exit code of a conflict', async () => {
    await json<Job>(['jobs', 'pause', 'flaky']);
    expect((await world.call(['submit', 'flaky'])).code).toBe(6);
    await json<Job>(['jobs', 'resume', 'flaky']);
    expect((await world.call(['submit', 'flaky'])).code).toBe(0);
  });

  it('makes a key that may look and not submit, and revokes it', async () => {
    const key = await json<Key>(['keys', 'create', '--role', 'viewer', '--note', 'board']);
    const as = ['--key', key.secret ?? ''];
    expect((await world.call(['runs', ...as])).code).toBe(0);
    expect((await world.call(['submit', 'hello', ...as])).code).toBe(4);
    expect((await world.call(['runs', '--key', 'wrong'])).code).toBe(4);
    const { out } = await world.call(['keys']);
    expect(out).toContain(`${key.id}\tdefault\tviewer\tvalid`);
    expect(out).not.toContain(key.secret);
    expect((await world.call(['keys', 'revoke', key.id])).code).toBe(0);
    expect((await world.call(['keys'])).out).toContain('revoked');
  });

  it('cordons its worker: a task waits, why says so, and uncordon lets it go on', async () => {
    expect((await world.call(['cordon', 'dev'])).out).toBe('dev is cordoned\n');
    const { id } = await json<Submitted>(['submit', 'hello', 'Ada']);
    expect((await world.call(['why', id])).out).toMatch(/QUEUED {2}\w+/);
    await world.call(['uncordon', 'dev']);
    const { out } = await world.call(['workers']);
    expect(out).toContain('dev\thealthy');
    expect((await world.call(['drain', 'nobody'])).code).toBe(3);
  });

  it('sets a tenant', async () => {
    await world.call(['tenants', 'update', 'acme', '--weight', '2', '--max-running', '5']);
    expect((await world.call(['tenants', 'show', 'acme'])).out).toMatch(/^acme\t2\t5\t/);
    expect((await world.call(['tenants', 'update', 'acme'])).code).toBe(2);
  });

  it('is alone on its folder: a second start says who is there', async () => {
    const { code, err } = await world.run(['dev', '--port', '0']);
    expect(code).toBe(6);
    expect(err).toMatch(
      /signalbox dev is already running on .+, at http:\/\/127.0.0.1:\d+ \(process \d+\)/,
    );
    const more = await world.run(['dev', '--port', '0', '--jobs', 'jobs.ts']);
    expect(more).toMatchObject({ code: 6, err: expect.stringContaining('worker --jobs jobs.ts') });
  });

  it('takes another worker in, which finds it by the folder', async () => {
    const worker = world.start(['worker', '--allow-command', '--name', 'other']);
    await worker.printed(/worker other is attached to http/);
    expect((await world.call(['workers'])).out).toContain('other\thealthy');
    expect((await worker.stop()).code).toBe(0);
  });

  it('with a job that is refused says which one of which file, and defines nothing', async () => {
    const folder = new World();
    const jobs = `
      import { job } from '${new URL('../../../sdk/src/index.ts', import.meta.url)}';
      export const fine = job('fine', () => 1);
      export const wrong = job('wrong', { retry: { maxAttempts: 0 } }, () => 1);`;
    writeFileSync(join(folder.folder, 'bad.mjs'), jobs);
    const { code, err } = await folder.run(['dev', '--port', '0', '--jobs', 'bad.mjs']);
    expect(code).toBe(2);
    expect(err).toContain('bad.mjs: the job "wrong" was refused: ');
    expect(err).toContain('tasks[0].retry.maxAttempts');
    expect(err).toContain('no job was saved');
    const again = folder.start(['dev', '--port', '0']);
    await again.printed(/ready at http/);
    expect((await folder.call(['jobs', 'show', 'fine'])).code).toBe(3);
    await again.stop();
    folder.remove();
  }, 60_000);

  it('goes on where it stopped, also after a kill', async () => {
    const first = await json<Submitted>(['submit', 'hello', 'Ada', '--delay', '2s']);
    const { code, err } = await dev.stop();
    expect(code).toBe(0);
    expect(err).toContain('the next start resumes the remaining work');
    expect((await world.call(['runs'])).code).toBe(5);
    dev = startDev();
    await dev.printed(/Ctrl-C to stop/);
    await world.call(['logs', first.id, '-f']);
    const ended = { state: 'SUCCEEDED', output: 'hello, Ada' };
    expect(await json<RunView>(['runs', 'show', first.id])).toMatchObject(ended);

    const second = await json<Submitted>(['submit', 'hello', 'Ada', '--delay', '1s']);
    dev.child.kill('SIGKILL');
    await dev.ended;
    dev = startDev();
    await dev.printed(/Ctrl-C to stop/);
    await world.call(['logs', second.id, '-f']);
    expect(await json<RunView>(['runs', 'show', second.id])).toMatchObject(ended);
    expect((await dev.stop()).code).toBe(0);
  }, 90_000);
});
