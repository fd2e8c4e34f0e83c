import { duration } from '@signalbox/node/settings';
import type { Submission, Submitted } from '@signalbox/protocol';
import type { Command } from 'commander';
import { readInput } from '../client/read-input.ts';
import { printJson } from '../print/json.ts';
import { UserError } from '../user-error.ts';
import { addClientCommand, type Call, type Registry } from './define.ts';
import { instantOf } from './instant-option.ts';
import { PRIORITY_FLAG, readPriority } from './priority-option.ts';
import { waitForEnd } from './wait-for-end.ts';

const WAIT_MS_DEFAULT = 24 * 3_600_000;
/** What a node takes. It cuts the connection on more, which would look as if it were not there. */
const INPUT_BYTES_MAX = 67_108_864;

export function addSubmit(registry: Registry, program: Command): void {
  addClientCommand(registry, program, {
    usage: 'submit <job> [input]',
    summary: 'submit a run of a job',
    examples: [
      ['signalbox submit hello \'{"name":"Ada"}\' --wait', 'wait, and print the output'],
      ['signalbox submit report - < input.json', 'input from a pipe'],
      ['signalbox submit report @input.json --priority P0', 'input from a file, before others'],
      ['signalbox submit invoice 7 --idempotency-key order-7', 'at most one run for this key'],
      ['signalbox submit cleanup --delay 30m', 'not before half an hour has passed'],
    ],
    configure: (command) => {
      command
        .option('--wait [time]', 'wait until the run ends, at most this long, and print the output')
        .option('--idempotency-key <key>', 'at most one run per tenant and key')
        .option('--unique-key <key>', 'at most one open run of the job with this key')
        .option(PRIORITY_FLAG, 'P0, P1, P2 or 1 to 10 (default: that of the job)', readPriority)
        .option('--delay <time>', 'start after this time, like 30s or 2h')
        .option(
          '--run-at <instant>',
          'start at this instant, like 2030-01-31T09:00:00Z, 2030-01-31 or 90m',
        )
        .addHelpText(
          'after',
          '\nINPUT is JSON; anything that does not look like JSON is taken as text. `-` reads it from standard\n' +
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
    ...(inputText === undefined ? {} : await inputFields(api, await readInput(app, inputText))),
    ...(options['idempotencyKey'] === undefined
      ? {}
      : { idempotencyKey: options['idempotencyKey'] }),
    ...(options['uniqueKey'] === undefined ? {} : { uniqueKey: options['uniqueKey'] }),
    ...(options['priority'] === undefined ? {} : { priority: options['priority'] }),
    ...(options['delay'] === undefined ? {} : { delay: timeOf('--delay', options['delay']) }),
    ...(options['runAt'] === undefined
      ? {}
      : { runAt: instantOf('--run-at', String(options['runAt']), terminal.now()) }),
  };
  const submitted = await api.post<Submitted>('/runs', submission);
  if (waitMs !== null) {
    if (!json) noteExisting(call, submitted);
    return waitForSubmitted(call, { id: submitted.id, waitMs });
  }
  if (json) printJson(terminal, submitted);
  else {
    terminal.line(submitted.id);
    noteExisting(call, submitted);
    if (terminal.isTty)
      terminal.note(terminal.paint.dim(terminal.typed(`see: signalbox runs show ${submitted.id}`)));
  }
  return undefined;
}

function noteExisting({ terminal }: Call, { id, created, pending }: Submitted): void {
  if (pending) {
    const text = 'accepted; the owner of the job decides whether it is a new run or a live one';
    terminal.note(terminal.paint.dim(text));
  } else if (!created) {
    terminal.note(terminal.paint.dim(`this run was there already, with its own input: ${id}`));
  }
}

/** An error on the way must not hide that the run was accepted: sent again, it would run twice. */
async function waitForSubmitted(call: Call, wait: { id: string; waitMs: number }) {
  try {
    return await waitForEnd(call, wait);
  } catch (error) {
    const { terminal } = call;
    terminal.transient('');
    terminal.note(
      `run ${wait.id} was accepted and goes on: ${terminal.typed(`signalbox why ${wait.id}`)}`,
    );
    throw error;
  }
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

/** How the input travels: what is too large for a body goes ahead as a blob. */
async function inputFields(api: Call['api'], input: unknown): Promise<Partial<Submission>> {
  const isRaw = input instanceof Uint8Array;
  const bytes = isRaw ? input : Buffer.from(JSON.stringify(input));
  if (bytes.length > INPUT_BYTES_MAX) {
    throw new UserError('usage', `the input exceeds ${INPUT_BYTES_MAX} bytes`);
  }
  const { PAYLOAD_INLINE_MAX } = await import('@signalbox/protocol/link');
  if (bytes.length > PAYLOAD_INLINE_MAX) return { inputBlob: (await api.putBlob(bytes)).name };
  return isRaw ? { inputBase64: Buffer.from(input).toString('base64') } : { input };
}
