import { SETTINGS } from '@signalbox/node/settings';
import type { App } from '../app.ts';
import { span } from '../print/times.ts';

export interface Welcome {
  readonly app: App;
  readonly url: string;
  readonly folder: string;
  /** The absolute path of the file with the key; null if the key is from the settings. */
  readonly keyFile: string | null;
}

/**
 * Where it is, how to get in, and three things to try. Never the key itself: terminals and the logs of
 * supervisors keep all output.
 */
export function printWelcome({ app, url, folder, keyFile }: Welcome): void {
  const { terminal } = app;
  const { paint } = terminal;
  const took = span(performance.now());
  const isUsual = folder === SETTINGS.data.fallback;
  terminal.line(
    `${paint.bold('Signalbox')} is ready at ${paint.cyan(url)}  ${paint.dim(`${took}, data in ${folder}`)}`,
  );
  terminal.line('');
  if (keyFile !== null) {
    terminal.line(`  export SIGNALBOX_URL=${url}`);
    terminal.line(`  export SIGNALBOX_KEY="$(cat ${quoted(keyFile)})"`);
    const alone = isUsual ? 'in this folder' : `with SIGNALBOX_DATA=${quoted(folder)}`;
    terminal.line(
      paint.dim(
        `  needed in other folders and by programs; ${alone}, commands find the address and the key`,
      ),
    );
    terminal.line('');
  }
  terminal.line('Try, in another terminal:');
  // Without it, what is copied from here would ask the node of the usual folder.
  const there = isUsual ? '' : `SIGNALBOX_DATA=${quoted(folder)} `;
  const tries = [
    [`${there}signalbox submit hello Ada --wait`, 'a run, and its output'],
    [`${there}signalbox submit flaky --wait`, 'fails twice, then succeeds'],
    [
      `${there}signalbox submit slow && ${there}signalbox logs last -f`,
      'takes five seconds; cancel it if you like',
    ],
  ].map(([line = '', what]) => [terminal.typed(line), what] as const);
  const width = Math.max(...tries.map(([line]) => line.length));
  for (const [line, what] of tries)
    terminal.line(`  ${line.padEnd(width)}  ${paint.dim(`# ${what}`)}`);
  terminal.line('');
  terminal.line(paint.dim('Press Ctrl-C to stop. The next start resumes the remaining work.'));
}

/** As a shell takes it. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
