import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { cacheDir, root } from '../../tools/files.ts';
import { npm, npmProgram, QUIET } from '../../tools/npm.ts';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  /** The first match in what it has printed or will print; rejects where it ends before that. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<Ended>;
  /** What Ctrl-C does: the whole group of processes is interrupted. */
  interrupt(): Promise<Ended>;
}

/** A project of a user's: a folder outside of the workspace, with the tarballs installed. */
export class Project {
  readonly folder = mkdtempSync(join(tmpdir(), 'signalbox-install-'));
  readonly #running = new Set<ChildProcess>();

  async install(packages: readonly string[]): Promise<void> {
    this.write('package.json', JSON.stringify({ name: 'app', private: true, type: 'module' }));
    // The downloads are kept: from the second run on, nothing but the tarballs is new.
    const cache = ['--cache', join(cacheDir, 'npm'), '--prefer-offline'];
    const env = cleanEnvironment(process.execPath);
    await npm(['install', ...packages, ...cache, ...QUIET], { cwd: this.folder, env });
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  /** A file of the repository, put beside the others. */
  copy(file: string): void {
    copyFileSync(join(root, file), join(this.folder, basename(file)));
  }

  /** The code blocks of a page that name a file: "```ts jobs.ts". Returns their names. */
  writeCodeOf(page: string): string[] {
    const text = readFileSync(join(root, page), 'utf8');
    const blocks = [...text.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)];
    for (const [, file = '', code = ''] of blocks) this.write(file, code);
    return blocks.map(([, file = '']) => file);
  }

  /** Starts a program on `node`; it leads a group of its own, as one that is started from a shell. */
  start(params: {
    readonly node: string;
    readonly args: readonly string[];
    readonly npx?: boolean;
    readonly env?: Readonly<Record<string, string>>;
  }): Running {
    const { node, args, npx = false, env = {} } = params;
    const [file, ...first] = npx ? npmProgram('npx') : [node];
    const child = spawn(file, [...first, ...args], {
      cwd: this.folder,
      env: { ...cleanEnvironment(node), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#running.add(child);
    return watch(child, () => this.#running.delete(child));
  }

  /** Runs a program to its end. */
  run(params: Parameters<Project['start']>[0]): Promise<Ended> {
    return this.start(params).ended;
  }

  remove(): void {
    for (const child of this.#running) signalGroup(child, 'SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function watch(child: ChildProcess, onEnd: () => void): Running {
  const texts = { out: '', err: '' };
  const looks = new Set<() => void>();
  const gather = (name: 'out' | 'err') => (chunk: string) => {
    texts[name] += chunk;
    for (const look of looks) look();
  };
  child.stdout?.setEncoding('utf8').on('data', gather('out'));
  child.stderr?.setEncoding('utf8').on('data', gather('err'));
  const ended = new Promise<Ended>((done) => {
    child.once('close', (code) => {
      onEnd();
      done({ code: code ?? -1, ...texts });
    });
  });
  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((found, reject) => {
      const look = () => {
        const match = pattern.exec(texts.out);
        if (match === null) return;
        looks.delete(look);
        found(match);
      };
      looks.add(look);
      look();
      void ended.then(({ out, err }) => reject(new Error(`it ended:\n${out}\n${err}`)));
    });
  const interrupt = () => {
    signalGroup(child, 'SIGINT');
    return ended;
  };
  return { printed, ended, interrupt };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/**
 * A user's shell with `node` on its path: without what the test runner and `npm test` have added. Where
 * npm finds the registry and certificates stays.
 */
function cleanEnvironment(node: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !ADDED.test(name));
  const path = `${dirname(resolve(node))}${delimiter}${process.env['PATH'] ?? ''}`;
  return { ...Object.fromEntries(own), NODE_ENV: 'production', PATH: path };
}

const ADDED =
  /^(SIGNALBOX_|VITEST|INIT_CWD|NODE_(?!EXTRA_CA_CERTS)|npm_(?!config_)|npm_config_local_prefix)/;
