import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../program.ts';
import { fakeApp } from './fake-app.ts';

const MAIN = fileURLToPath(new URL('../main.mjs', import.meta.url));
/** A response that the API document does not declare ends the process. */
const CONTRACT = new URL('../../../node/src/api/testing/exit-on-violation.ts', import.meta.url)
  .href;

export interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A process that stays up. */
export interface Running {
  readonly child: ChildProcess;
  /** The first match in what it has printed or will print; rejects when it ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Result>;
  /** Interrupts it, and waits for its end. */
  stop(): Promise<Result>;
}

/** A folder with the command in it: what it starts ends with it. */
export class World {
  readonly folder = mkdtempSync(join(tmpdir(), 'signalbox-cli-'));
  readonly #running = new Set<ChildProcess>();

  /** Runs a command that ends in this process, which is much faster than one of its own. */
  async call(args: readonly string[], environment: Record<string, string> = {}): Promise<Result> {
    const app = fakeApp({ cwd: this.folder, environment });
    const code = await runCommand(app, args);
    return { code, ...app.texts };
  }

  /** Runs a command to its end in a process of its own. */
  run(args: readonly string[], environment: Record<string, string> = {}): Promise<Result> {
    return this.start(args, environment).ended;
  }

  start(args: readonly string[], environment: Record<string, string> = {}): Running {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(SIGNALBOX|npm)_/.test(name),
    );
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--import', CONTRACT, MAIN, ...args],
      {
        cwd: this.folder,
        env: { ...Object.fromEntries(inherited), ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    this.#running.add(child);
    const texts = { out: '', err: '' };
    const watchers = new Set<() => void>();
    const gather = (name: 'out' | 'err') => (chunk: Buffer) => {
      texts[name] += chunk.toString();
      for (const watcher of watchers) watcher();
    };
    child.stdout.on('data', gather('out'));
    child.stderr.on('data', gather('err'));
    const ended = new Promise<Result>((resolve) => {
      child.once('close', (code) => {
        this.#running.delete(child);
        resolve({ code: code ?? -1, ...texts });
      });
    });
    const printed = (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(texts.out + texts.err);
          if (found === null) return;
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
        void ended.then(({ out, err }) => reject(new Error(`it ended:\n${out}\n${err}`)));
      });
    const stop = () => {
      child.kill('SIGINT');
      return ended;
    };
    return { child, printed, ended, stop };
  }

  remove(): void {
    for (const child of this.#running) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
