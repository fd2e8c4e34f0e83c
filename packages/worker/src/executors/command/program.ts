import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { CommandFailure } from './command-failure.ts';

/**
 * The file that is run for `argv[0]`, found on the worker's path. With the path of the command's environment, a
 * definition could choose any file for an allowed name.
 */
export async function findProgram(
  name: string,
  params: { readonly allow: true | readonly string[]; readonly path: string },
): Promise<string> {
  if (params.allow !== true && !params.allow.includes(name)) {
    throw new CommandFailure(`command_not_allowed: this worker does not run ${name}`);
  }
  if (isAbsolute(name)) {
    if (await isExecutable(name)) return name;
  } else if (!name.includes('/') && name !== '') {
    for (const folder of params.path.split(delimiter)) {
      // A relative folder would be searched in the folder of the attempt.
      if (isAbsolute(folder) && (await isExecutable(join(folder, name)))) return join(folder, name);
    }
  } else {
    throw new CommandFailure(
      'command_not_found: the program must be a name without slashes, or an absolute path',
    );
  }
  throw new CommandFailure(`command_not_found: this worker has no program ${name}`);
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
