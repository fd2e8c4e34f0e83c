import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const INSTALL_MS = 300_000;

/**
 * Makes sure that a program of Debian is there for the tests that need it: installs its package
 * where this process may. Null if it is there, else why not; the tests then say so and are skipped.
 */
export function requireDebian(program: string, debianPackage = program): string | null {
  if (isInstalled(program)) return null;
  if (process.getuid?.() !== 0) return `${program} is not installed, and only root may install it`;
  if (!isInstalled('apt-get')) return `${program} is not installed, and this is not Debian`;
  // Fresh machines have no list of packages; where there is one, reading it anew takes seconds.
  if (!install(debianPackage)) {
    apt(['update', '-q']);
    install(debianPackage);
  }
  return isInstalled(program) ? null : `${debianPackage} could not be installed`;
}

function install(debianPackage: string): boolean {
  return apt(['install', '-y', '-q', '--no-install-recommends', debianPackage]);
}

function apt(args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { stdio: 'ignore', timeout: INSTALL_MS, env } as const;
  return spawnSync('apt-get', args, options).status === 0;
}

function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
