import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { PermanentError } from '../errors.ts';
import type { Handler } from '../executors/handler/handler.ts';

export const echo: Handler = (input: unknown, context) => ({
  input,
  attemptId: context.attemptId,
  inputHash: context.inputHash,
  window: context.window,
  key: process.env['SIGNALBOX_KEY'] ?? 'no key',
});

export const talk: Handler = async (_input, context) => {
  process.stdout.write('to stdout\n');
  process.stderr.write('to stderr\n');
  context.log.info('to the log');
  context.progress(0.5);
  await context.checkpoint.save({ before: context.checkpoint.load() });
  return { extended: await context.extend(1_000), late: context.deadline !== null };
};

export const exit: Handler = () => {
  process.exit(7);
};

export const crash: Handler = () => {
  setTimeout(() => {
    throw new Error('nobody catches this');
  });
  return delay(60_000);
};

export const loop: Handler = (_input, context) => {
  context.log.info('looping');
  for (;;);
};

export const fail: Handler = () => {
  throw new PermanentError('not with this input');
};

export const leave: Handler = () => {
  setInterval(() => {}, 1_000);
  return 'done';
};

export const obey: Handler = async (_input, { signal, checkpoint, log }) => {
  checkpoint.offer(() => ({ reason: signal.reason }));
  log.info('waiting');
  await delay(60_000, undefined, { signal });
};

export const obeyWithMuch: Handler = async (_input, { signal, checkpoint, log }) => {
  checkpoint.offer(() => 'x'.repeat(300_000));
  log.info('waiting');
  await delay(60_000, undefined, { signal });
};

export const fill: Handler = () => {
  const kept: number[][] = [];
  for (;;) kept.push(new Array(100_000).fill(Math.random()));
};

export const lastWords: Handler = () => {
  process.stdout.write('last words\n');
};

/** Leaves a process behind that holds its pipes. */
export const spawnAndLeave: Handler = () => {
  const args = ['-e', 'setTimeout(() => {}, 600_000)'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  child.unref();
  return child.pid;
};

/** Leaves a daemon behind: a process in a session of its own, which holds the pipes too. */
export const leaveDaemon: Handler = (_input, { log }) => {
  const args = ['-e', 'setTimeout(() => {}, 600_000)'];
  const child = spawn(process.execPath, args, { detached: true, stdio: 'inherit' });
  child.unref();
  process.stdout.write('last words\n');
  log.info('started');
  return child.pid;
};

export const neverExit: Handler = () => {
  process.on('exit', () => {
    for (;;);
  });
  return 'done';
};
