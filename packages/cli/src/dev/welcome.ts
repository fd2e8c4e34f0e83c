import { existsSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import { SETTINGS } from '@signalbox/node/settings';
import type { App } from '../app.ts';
import { span } from '../print/times.ts';

export interface Welcome {
  readonly app: App;
  readonly url: string;
  readonly folder: string;
  /** Null where it came from the settings: whoever set it has it. */
  readonly key: string | null;
}

/** Where it is, how to get in, and three things to try. */
export function printWelcome({ app, url, folder, key }: Welcome): void {
  const { terminal } = app;
  const { paint } = terminal;
  const command = commandName(app);
  const took = span(performance.now());
  terminal.line(
    `${paint.bold('Signalbox')} is ready at ${paint.cyan(url)}  ${paint.dim(`${took}, data in ${folder}`)}`,
  );
  terminal.line('');
  if (key !== null) {
    terminal.line(`  export SIGNALBOX_URL=${url}`);
    terminal.line(`  export SIGNALBOX_KEY=${key}`);
    const isUsual = folder === SETTINGS.data.fallback;
    const alone = isUsual ? 'in this folder' : `with SIGNALBOX_DATA=${folder}`;
    terminal.line(paint.dim(`  for other folders and programs; ${alone} commands find both`));
    terminal.line('');
  }
  terminal.line('Try, in another terminal:');
  const tries = [
    [`${command} submit hello Ada --wait`, 'a run, and its output'],
    [`${command} submit flaky --wait`, 'fails twice, then succeeds'],
    [
      `${command} submit slow && ${command} logs last -f`,
      'takes five seconds; cancel it if you like',
    ],
  ] as const;
  const width = Math.max(...tries.map(([line]) => line.length));
  for (const [line, what] of tries)
    terminal.line(`  ${line.padEnd(width)}  ${paint.dim(`# ${what}`)}`);
  terminal.line('');
  terminal.line(paint.dim('Ctrl-C stops; the next start goes on from here.'));
}

/** As the person has to type it: that depends on how this process was started, and from where. */
export function commandName(
  { environment, cwd }: Pick<App, 'environment' | 'cwd'>,
  started = process.argv[1] ?? '',
): string {
  if (environment['npm_command'] === 'exec') return 'npx signalbox';
  if (basename(started) === 'signalbox') return 'signalbox';
  // In a clone there is a script four levels above the program.
  const script = resolve(started, '../../../../signalbox');
  if (!existsSync(script)) return 'npx signalbox';
  const path = relative(cwd, script);
  return path.startsWith('..') ? script : `./${path}`;
}
