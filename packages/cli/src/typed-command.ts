import { existsSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';

/** The command as the user has to type it, which depends on how and where this process was started. */
export function typedCommand(
  { environment, cwd }: { environment: NodeJS.ProcessEnv; cwd: string },
  started = process.argv[1] ?? '',
): string {
  if (environment['npm_command'] === 'exec') return 'npx signalbox';
  if (environment['npm_lifecycle_event'] === 'signalbox') return 'npm run signalbox --';
  // The command of a project, started by a script of its package.json, is not on the path of a shell.
  if (/[\\/]node_modules[\\/]\.bin[\\/][^\\/]*$/.test(started)) return 'npx signalbox';
  if (basename(started) === 'signalbox') return 'signalbox';
  // In a clone there is a script four levels above the program.
  const script = resolve(started, '../../../../signalbox');
  if (!existsSync(script)) return 'npx signalbox';
  const path = relative(cwd, script);
  return path.startsWith('..') ? script : `./${path}`;
}

/** `signalbox` where a word of the command follows: no path, no name of a source, no `signalbox.db`. */
const COMMAND = /(?<![\w./-])signalbox(?= (?:[a-z]+|COMMAND)\b)/g;

/** Replaces `signalbox …` in a text with the command as the user types it, so that it can be copied. */
export function asTyped(command: string, text: string): string {
  return text.replaceAll(COMMAND, () => command);
}
