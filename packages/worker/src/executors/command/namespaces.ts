import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hiddenPaths, RESOLVER, type Wall, type WallParams } from './wall.ts';

const PREFIX = 'SIGNALBOX_ENV_';

/**
 * Runs as root of its own user namespace: hides the paths and keeps only the folder of the attempt,
 * which is the working directory. The command then gets a second user namespace, in which it is the
 * worker's user again and cannot undo the mounts. The shell stays as the first process, because that
 * process does not end by SIGTERM unless it handles the signal.
 */
const SETUP = `set -e
PATH=/usr/sbin:/usr/bin:/sbin:/bin
folder=$1 uid=$2 gid=$3 keep=$4
shift 4
[ -d "$keep" ] && exec 9<"$keep" || keep=
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mount -t tmpfs tmpfs "$1"
  elif [ -e "$1" ]; then mount --bind /dev/null "$1"
  fi
  shift
done
shift
mkdir -p "$folder"
mount -c --bind /proc/self/cwd "$folder"
cd "$folder"
if [ -n "$keep" ]; then mkdir -p "$keep"; mount -c --bind /proc/self/fd/9 "$keep"; exec 9<&-; fi
set +e
restore=$1
shift
unshare --user --map-user="$uid" --map-group="$gid" -- /bin/sh -c "$restore" sh "$@"
exit $?`;

/**
 * Variables have a prefix until here: LD_PRELOAD and others would run code of the definition before the
 * wall is complete. No variable of its own, because the command may have one of the same name.
 */
const RESTORE = `while [ "$1" != -- ]; do
  eval "export $1=\\"\\$${PREFIX}$1\\""; unset "${PREFIX}$1"; shift
done
shift
exec "$@"`;

export function namespacesWall(params: WallParams): Wall {
  const { builder, program, args, env, path, folder, network } = params;
  const prefixed = Object.entries(env).map(([name, value]) => [`${PREFIX}${name}`, value]);
  const ids = [process.getuid?.() ?? 0, process.getgid?.() ?? 0].map(String);
  return {
    file: builder,
    args: [
      '--user',
      '--map-root-user',
      '--mount',
      '--pid',
      '--ipc',
      '--uts',
      ...(network ? [] : ['--net']),
      '--fork',
      '--kill-child',
      '--mount-proc',
      '--',
      '/bin/sh',
      '-c',
      SETUP,
      'sh',
      folder,
      ...ids,
      network ? RESOLVER : '',
      ...hiddenPaths(params),
      '--',
      RESTORE,
      ...Object.keys(env),
      '--',
      program,
      ...args,
    ],
    env: { PATH: path, SIGNALBOX_FOLDER: folder, ...Object.fromEntries(prefixed) },
    settings: null,
  };
}

/** Tried with everything that a command gets: kernels and containers forbid parts of it. */
export function namespacesWork(): boolean {
  if (process.platform !== 'linux') return false;
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-probe-'));
  try {
    const wall = namespacesWall({
      builder: 'unshare',
      program: '/bin/sh',
      args: ['-c', 'test -z "$(ls -A /var/tmp)" && test -w .'],
      env: {},
      path: process.env['PATH'] ?? '/usr/bin:/bin',
      folder,
      folderRoot: tmpdir(),
      network: false,
      hide: [],
    });
    const { file, args, env } = wall;
    const options = { cwd: folder, env: { ...env }, stdio: 'ignore', timeout: 5_000 } as const;
    return spawnSync(file, args, options).status === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
