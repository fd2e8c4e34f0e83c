import type { App } from './app.ts';
import { safeText } from './print/safe-text.ts';
import { processTerminal } from './print/terminal.ts';
import { isRunningUntilStopped } from './processes/until-stopped.ts';
import { runCommand } from './program.ts';
import { typedCommand } from './typed-command.ts';

async function readInput(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function confirm(question: string): Promise<boolean | null> {
  if (!process.stdin.isTTY) return null;
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question(`${safeText(question)} [y/N] `);
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}

// `signalbox runs | head` closes the pipe early, which is no error. A node or a worker goes on: what it
// does matters more than who reads its output.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (isRunningUntilStopped()) return;
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});
// Notes and the log: a process must not end because the reader is gone or a disk is full.
process.stderr.on('error', () => {});

const place = { environment: process.env, cwd: process.cwd() };
const command = typedCommand(place);
const app: App = {
  ...place,
  command,
  terminal: processTerminal(command),
  readInput,
  inputChunks: () => process.stdin,
  confirm,
};
const code = await runCommand(app, process.argv.slice(2));
// What was printed leaves first; what a failed start left running does not keep the process.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
