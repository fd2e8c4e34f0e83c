import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SystemUser } from './binaries.ts';

/** What one server has on disk: its data, its password and, if need be, a copy of the programs. */
export interface ServerFolder {
  readonly dir: string;
  readonly dataDir: string;
  readonly nativeDir: string;
  readonly password: string;
  readonly isTemporary: boolean;
  /** The arguments of initdb, or undefined where it has done its work before. */
  readonly initArgs: readonly string[] | undefined;
  removeIfTemporary(): void;
}

export function openFolder(params: {
  dataDir: string | undefined;
  user: SystemUser | undefined;
}): ServerFolder {
  const { user } = params;
  const isTemporary = params.dataDir === undefined;
  const dir = params.dataDir ?? mkdtempSync(join(tmpdir(), 'signalbox-postgres-'));
  mkdirSync(dir, { recursive: true });
  if (user !== undefined) chownSync(dir, user.uid, user.gid);

  const dataDir = join(dir, 'data');
  const passwordFile = join(dir, 'password');
  if (!existsSync(passwordFile)) {
    writeFileSync(passwordFile, randomBytes(16).toString('hex'), { mode: 0o600 });
    if (user !== undefined) chownSync(passwordFile, user.uid, user.gid);
  }

  return {
    dir,
    dataDir,
    nativeDir: join(dir, 'native'),
    password: readFileSync(passwordFile, 'utf8'),
    isTemporary,
    initArgs: existsSync(join(dataDir, 'PG_VERSION'))
      ? undefined
      : [
          `--pgdata=${dataDir}`,
          '--username=postgres',
          `--pwfile=${passwordFile}`,
          '--auth=scram-sha-256',
          '--encoding=UTF8',
          '--locale=C',
          // Only the making of the empty files goes unsynced; the server itself syncs.
          '--no-sync',
        ],
    removeIfTemporary: () => {
      if (isTemporary) rmSync(dir, { recursive: true, force: true });
    },
  };
}
