import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';

/** The command inside its isolation, as a process to start. */
export interface Wall {
  readonly file: string;
  readonly args: readonly string[];
  /** Of the program that builds the wall, never of the command: a variable such as LD_PRELOAD would run outside. */
  readonly env: Readonly<Record<string, string>>;
  /** What it reads from file descriptor 3; null if nothing. */
  readonly settings: string | null;
}

export interface WallParams {
  /** Path of bubblewrap, or of `unshare`. */
  readonly builder: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** Of the worker: the command's own may lead to other programs. */
  readonly path: string;
  readonly folder: string;
  readonly folderRoot: string;
  readonly network: boolean;
  readonly hide: readonly string[];
}

/** Needed for names if there is a network, and in a folder that is hidden. */
export const RESOLVER = '/run/systemd/resolve';

// Sockets of other services are in /run: a read-only file system does not keep anybody from them.
const HIDDEN = ['/run', '/var/tmp', '/tmp'];

/** Folders and files that the command finds empty, outer ones first. */
export function hiddenPaths(
  params: Pick<WallParams, 'program' | 'folder' | 'folderRoot' | 'hide'>,
): readonly string[] {
  const { program, folder, folderRoot, hide } = params;
  const hidden = [...HIDDEN, folderRoot, homedir(), ...hide].filter(existsSync);
  return [...new Set(hidden.map((path) => realpathSync(path)))]
    .filter((path) => {
      // Hiding the program itself would make every command fail.
      const isNeeded = path === program || isInside(program, path) || path === folder;
      return path !== '/' && !isNeeded;
    })
    .sort();
}

function isInside(file: string, folder: string): boolean {
  return file.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
