// Owns one PostgreSQL server on behalf of the process that started it. The two are joined by a
// pipe: when its other end closes, for whatever reason and even by a kill, the server is stopped
// and a temporary folder removed.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';

export interface KeeperParams {
  /** Programs with their arguments, one after the other: the maker of the files, then the server. */
  readonly commands: readonly (readonly [file: string, ...args: string[]])[];
  readonly workDir: string;
  readonly removesWorkDir: boolean;
  readonly uid?: number;
  readonly gid?: number;
}

const forceAfterMs = 5_000;

async function keep({ commands, workDir, removesWorkDir, ...user }: KeeperParams): Promise<number> {
  let current: ChildProcess | undefined;
  let isOver = false;
  // The pipe for errors may be gone when the server says its last words.
  process.stderr.on('error', () => {});
  process.stdin.resume().once('close', () => {
    isOver = true;
    // SIGINT is PostgreSQL's fast shutdown: it ends sessions instead of waiting for them.
    current?.kill('SIGINT');
    setTimeout(() => current?.kill('SIGKILL'), forceAfterMs).unref();
  });
  try {
    for (const [file, ...args] of commands) {
      if (isOver) break;
      current = spawn(file, args, {
        ...user,
        cwd: workDir,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const [code] = await once(current, 'exit');
      if (code !== 0) return 1;
    }
    return 0;
  } finally {
    if (removesWorkDir) rmSync(workDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

const params = JSON.parse(process.argv[2] ?? '{}') as KeeperParams;
process.exit(await keep(params));
