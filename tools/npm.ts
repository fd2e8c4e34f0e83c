import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Outcome } from './process.ts';

/** What npm has to say about funding, audits and scripts is nothing that a tool acts on. */
export const QUIET = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'] as const;

/** How to start npm or npx: a program and its first arguments. */
export function npmProgram(name: 'npm' | 'npx'): readonly [string, ...string[]] {
  // npm names its own script to the scripts that it runs; outside of npm the one on the path is used.
  const script = process.env['npm_execpath'] ?? '';
  const sibling = join(dirname(script), `${name}-cli.js`);
  return /\.c?js$/.test(script) && existsSync(sibling) ? [process.execPath, sibling] : [name];
}

/** Runs npm to its end and returns what it printed; throws where it fails. */
export function npm(
  args: readonly string[],
  { cwd, env = process.env }: { cwd: string; env?: NodeJS.ProcessEnv },
): Promise<Outcome> {
  const [file, ...first] = npmProgram('npm');
  const shell = first.length === 0 && process.platform === 'win32';
  const child = spawn(file, [...first, ...args], {
    cwd,
    env,
    shell,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve({ code, output });
      else reject(new Error(`npm ${args[0]} failed in ${cwd}:\n${output}`));
    });
  });
}
