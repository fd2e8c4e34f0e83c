import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import type { CommandExecutorOptions } from './command-options.ts';

export type Isolation = 'bubblewrap' | 'none';

/** What the worker can do here. Throws where more is asked for: a missing wall is not a warning. */
export function chooseIsolation(
  wanted: CommandExecutorOptions['isolation'] = 'auto',
  probe: () => boolean = bubblewrapWorks,
): Isolation {
  if (wanted === 'none') return 'none';
  if (probe()) return 'bubblewrap';
  if (wanted === 'bubblewrap')
    throw new Error('bubblewrap is not installed or cannot be used on this machine');
  return 'none';
}

/** Tried and not only looked for: many kernels and containers forbid what it needs. */
function bubblewrapWorks(): boolean {
  const args = ['--ro-bind', '/', '/', '--proc', '/proc', '--unshare-pid', '--unshare-net', 'true'];
  return spawnSync('bwrap', args, { stdio: 'ignore', timeout: 5_000 }).status === 0;
}

// Sockets of other services are in /run: a read-only file system does not keep anybody from them.
const HIDDEN = ['/run', '/var/tmp', '/tmp'];

/** Read-only root, own processes, own /tmp, no network unless asked; only its folder can be written. */
export function bubblewrapArguments(params: {
  readonly program: string;
  readonly folder: string;
  readonly folderRoot: string;
  readonly network: boolean;
  readonly hide: readonly string[];
}): string[] {
  const { program, folder, folderRoot, network } = params;
  const hidden = [...HIDDEN, folderRoot, homedir(), ...params.hide].filter(existsSync);
  // Hiding the program itself would make every command fail.
  const empty = [...new Set(hidden.map((path) => realpathSync(path)))].filter(
    (path) => path !== '/' && !isInside(program, path),
  );
  return [
    '--die-with-parent',
    '--new-session',
    '--unshare-user-try',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(network ? [] : ['--unshare-net']),
    '--cap-drop',
    'ALL',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...empty.sort().flatMap((path) => ['--tmpfs', path]),
    ...(network ? ['--ro-bind-try', '/run/systemd/resolve', '/run/systemd/resolve'] : []),
    '--bind',
    folder,
    folder,
    '--chdir',
    folder,
    '--',
  ];
}

function isInside(file: string, folder: string): boolean {
  return file.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
