import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { duration } from '@signalbox/node/settings';
import type { Submitted } from '@signalbox/protocol';
import type { Command } from 'commander';
import { waitForEnd } from '../client/wait-for-end.ts';
import { printJson } from '../print/json.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, type Call, type Registry } from './define.ts';

const WAIT_MS_DEFAULT = 24 * 3_600_000;

export function addSubmit(registry: Registry, program: Command): void {
  addClientCommand(registry, program, {
    usage: 'submit <job> [input]',
    summary: 'submit a run of a job',
    examples: [
      ['signalbox submit hello \'{"name":"Ada"}\' --wait', 'wait, and print the output'],
      ['signalbox submit report - < input.json', 'input from a pipe'],
      ['signalbox submit report @input.json --class P0', 'input from a file, before others'],
      ['signalbox submit invoice 7 --key order-7', 'at most one run for this key'],
      ['signalbox submit cleanup --delay 30m', 'not before half an hour has passed'],
    ],
    configure: (command) => {
      command
        .option('--wait [time]', 'wait for the end, at most this long, and print the output')
        .option('--key <key>', 'idempotency key: at most one run per tenant and key')
        .option('--unique <value>', 'no second live run of the job with the same value')
        .option('--class <class>', 'P0, P1 or P2; the job says otherwise')
        .option('--delay <time>', 'not before this much time has passed, like 30s or 2h')
        .option('--due <instant>', 'not before this instant, like 2030-01-31T09:00:00Z')
        .addHelpText(
          'after',
          '\nINPUT is JSON; what does not look like JSON is taken as text. `-` reads it from standard\n' +
            'input, `@FILE` from a file. With --wait the exit code says how the run ended.',
        );
    },
    run: submit,
  });
}

async function submit(call: Call) {
  const { api, app, terminal, options, json } = call;
  const [job = '', inputText] = call.args;
  const waitMs = waitOf(options['wait']);
  const submission = {
    job,
    ...(inputText === undefined ? {} : await readInput(app, inputText)),
    ...(options['key'] === undefined ? {} : { key: options['key'] }),
    ...(options['unique'] === undefined ? {} : { unique: options['unique'] }),
    ...(options['class'] === undefined ? {} : { class: options['class'] }),
    ...(options['delay'] === undefined ? {} : { delayMs: timeOf('--delay', options['delay']) }),
    ...(options['due'] === undefined ? {} : { dueAt: options['due'] }),
  };
  const submitted = await api.post<Submitted>('/runs', submission);
  if (waitMs !== null) return waitForEnd(call, { id: submitted.id, waitMs });
  if (json) printJson(terminal, submitted);
  else {
    terminal.line(submitted.id);
    if (!submitted.created) terminal.note(terminal.paint.dim('this run was there already'));
    if (terminal.isTty)
      terminal.note(terminal.paint.dim(`see: signalbox runs show ${submitted.id}`));
  }
  return undefined;
}

function waitOf(option: unknown): number | null {
  if (option === undefined) return null;
  return option === true ? WAIT_MS_DEFAULT : timeOf('--wait', option);
}

function timeOf(flag: string, option: unknown): number {
  const ms = duration.read(option);
  if (ms !== undefined) return ms;
  throw new UserError('usage', `${flag} ${JSON.stringify(option)} is not ${duration.words}`);
}

type Input = { readonly input: unknown } | { readonly inputBase64: string };

async function readInput(app: Call['app'], argument: string): Promise<Input> {
  if (argument === '-') return inputOf(await app.readInput());
  if (argument.startsWith('@')) {
    const path = resolve(app.cwd, argument.slice(1));
    try {
      return inputOf(readFileSync(path));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new UserError('usage', `cannot read the input: ${why}`);
    }
  }
  return { input: textInput(argument) };
}

/** A pipe may carry anything: JSON as JSON, every other text as text, bytes as bytes. */
function inputOf(bytes: Uint8Array): Input {
  let content: string;
  try {
    content = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { inputBase64: Buffer.from(bytes).toString('base64') };
  }
  return { input: textInput(content) };
}

function textInput(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    // Text that is meant as JSON and is broken must not run as a text.
    if (!/^\s*[{["]/.test(content)) return content;
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError('usage', `the input is not JSON: ${why}`);
  }
}
