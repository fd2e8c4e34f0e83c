import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

let folder = '';
let npm: ChildProcess;
let text = '';

/** `npm start` without a terminal, as leader of a process group. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-start-'));
  text = '';
  const environment = Object.entries(process.env).filter(
    ([name]) => !/^(SIGNALBOX|npm|VITEST)_/.test(name),
  );
  npm = spawn('npm', ['start', '--', '--data', folder, '--port', '0'], {
    cwd: ROOT,
    detached: true,
    env: Object.fromEntries(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [npm.stdout, npm.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      npm.emit('text');
    });
  }
  await printed('first run of hello: SUCCEEDED');
}, 60_000);

afterEach(() => {
  try {
    process.kill(-(npm.pid ?? 0), 'SIGKILL');
  } catch {
    // The group has ended, as it should.
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

function printed(wanted: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (text.includes(wanted)) resolve();
    };
    npm.on('text', look);
    // The pipes close when the last process that can write to them has ended.
    npm.once('close', () => reject(new Error(`it ended without "${wanted}":\n${text}`)));
    look();
  });
}

function nodePid(): number {
  return JSON.parse(readFileSync(join(folder, 'dev.json'), 'utf8')).pid as number;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('npm start without a terminal', () => {
  it('stops in good order on an interrupt of the process group, which the node gets twice', async () => {
    const pid = nodePid();
    const closed = new Promise((resolve) => npm.once('close', resolve));
    process.kill(-(npm.pid ?? 0), 'SIGINT');
    await printed('stopping');
    // What a wrapper forwards may also come later than the interrupt itself.
    process.kill(pid, 'SIGINT');
    await printed('stopped; the next start');
    await closed;
    expect(isRunning(pid)).toBe(false);
  });

  it('stops the node in good order on a SIGTERM to npm alone, which does not reach it', async () => {
    const pid = nodePid();
    const closed = new Promise((resolve) => npm.once('close', resolve));
    npm.kill('SIGTERM');
    await printed('stopped; the next start');
    await closed;
    expect(isRunning(pid)).toBe(false);
  });
});
