import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';

const VERSION = '4.32.5';
const run = promisify(execFile);

/** Installs schemathesis into a virtual environment; returns why it cannot, or null. */
export async function installSchemathesis(folder: string, python: string): Promise<string | null> {
  if (existsSync(`${folder}/bin/st`)) return null;
  try {
    await run(python, ['--version']);
  } catch {
    return `${python} is not installed`;
  }
  try {
    await run(python, ['-m', 'venv', folder]);
    await run(`${folder}/bin/pip`, ['install', '--quiet', `schemathesis==${VERSION}`]);
    return null;
  } catch (error) {
    // A folder that is half installed would pass for a whole one.
    rmSync(folder, { recursive: true, force: true });
    const [line = ''] = String((error as { stderr?: string }).stderr ?? error).split('\n');
    return `schemathesis ${VERSION} cannot be installed: ${line}`;
  }
}
