import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CommandNode } from '../testing/command-node.ts';

let node: CommandNode;
beforeAll(async () => {
  node = await CommandNode.start();
});
afterAll(() => node.stop());

const set = (name: string, input: string) => node.run(['secrets', 'set', name], { input });

describe('signalbox secrets', () => {
  it('reads values from standard input and shows names', async () => {
    expect((await node.run(['secrets'])).err).toContain('signalbox secrets set NAME < FILE');
    expect(await set('token', 'hidden\n')).toMatchObject({ code: 0, out: 'token has version 1\n' });
    expect((await set('token', 'hidden again')).out).toBe('token has version 2\n');
    const listed = await node.run(['secrets', 'list', '--json']);
    expect(JSON.parse(listed.out)).toMatchObject({ name: 'token', version: 2 });
    expect(listed.out).not.toContain('hidden');
    expect((await node.run(['secrets', 'delete', 'token'])).out).toBe('token is deleted\n');
    expect((await node.run(['secrets', 'list'])).out).toBe('');
  });

  it('refuses an empty value', async () => {
    expect(await set('token', '\n')).toMatchObject({
      code: 2,
      err: expect.stringContaining('standard input is empty'),
    });
  });
});

it('signalbox apply and diff warn of plain secrets, with their place, and apply them', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'signalbox-secrets-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const task = 'command:\n      argv: [deploy]\n      env: { DEPLOY_TOKEN: hidden }\n';
  writeFileSync(join(cwd, 'deploy.yaml'), `name: deploy\ntasks:\n  - ${task}`);
  const warning =
    'warning: deploy.yaml:5: job deploy: tasks[0].command.env.DEPLOY_TOKEN looks like a secret';
  expect((await node.run(['diff', '-f', 'deploy.yaml'], { cwd })).err).toContain(warning);
  const applied = await node.run(['apply', '-f', 'deploy.yaml', '--yes'], { cwd });
  expect(applied).toMatchObject({ code: 0, err: expect.stringContaining(warning) });
  expect(applied.out).toContain('deploy has version 1');
});
