import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PROGRAM = fileURLToPath(new URL('./test-programs/stray-throw.ts', import.meta.url));

async function run(...args: string[]) {
  const node = ['--disable-warning=ExperimentalWarning', PROGRAM, ...args];
  const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { out: out.trim().split('\n'), err, code };
}

const PRINTED = [
  'QUARANTINED thrown by timer',
  'QUARANTINED thrown by tick',
  'QUARANTINED thrown by rejection',
  'done',
  'fine',
];

it('what a timer of a handler throws ends its attempt and not the process', async () => {
  const { out, err, code } = await run();
  expect(out.map((line) => line.replace(/^(FAILED|QUARANTINED)/, 'QUARANTINED'))).toEqual(PRINTED);
  expect(err).toMatch(/attempt \S+ threw an error after its end:[\s\S]*thrown too late/);
  expect(code).toBe(0);
}, 30_000);

it('what nobody can be blamed for ends the process as Node.js does it', async () => {
  const { out, err, code } = await run('of-nobody');
  expect(out).toHaveLength(PRINTED.length);
  expect(err).toContain('Error: thrown by nobody');
  expect(code).toBe(1);
}, 30_000);
