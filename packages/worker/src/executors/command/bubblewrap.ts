import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { hiddenPaths, RESOLVER, type Wall, type WallParams } from './wall.ts';

/** Tried and not only looked for: many kernels and containers forbid what it needs. */
export function bubblewrapWorks(): boolean {
  const args = ['--ro-bind', '/', '/', '--proc', '/proc', '--unshare-pid', '--unshare-net', 'true'];
  return spawnSync('bwrap', args, { stdio: 'ignore', timeout: 5_000 }).status === 0;
}

/** The options are read from a file descriptor: the list of processes shows arguments to every user. */
export function bubblewrapWall(params: WallParams): Wall {
  const { builder, program, args, env, path, folder } = params;
  const variables = Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]);
  const options = [...bubblewrapOptions(params), '--clearenv', ...variables];
  return {
    file: builder,
    args: ['--args', '3', '--', program, ...args],
    env: { PATH: path, SIGNALBOX_FOLDER: folder },
    settings: options.map((option) => `${option}\0`).join(''),
  };
}

/** Read-only root, own processes, own /tmp, no network unless asked; only its folder can be written. */
export function bubblewrapOptions(
  params: Pick<WallParams, 'program' | 'folder' | 'folderRoot' | 'network' | 'hide'>,
): string[] {
  const { folder, network } = params;
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
    ...hiddenPaths(params).flatMap((path) =>
      statSync(path).isDirectory() ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path],
    ),
    ...(network ? ['--ro-bind-try', RESOLVER, RESOLVER] : []),
    '--bind',
    folder,
    folder,
    '--chdir',
    folder,
  ];
}
