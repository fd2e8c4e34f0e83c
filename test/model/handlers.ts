// The jobs of the workers. Every execution writes its own evidence to a file, outside of the system.
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { type HandlerContext, job, PermanentError, TransientError } from 'signalbox';
import type { Execution, WorkInput } from './history.ts';

const file = process.env['EVIDENCE'] ?? 'evidence.jsonl';
const worker = process.env['WORKER'] ?? '';

function write(execution: Execution): void {
  appendFileSync(file, `${JSON.stringify(execution)}\n`);
}

/** Ends early when it is told to stop, unless it is one of those that do not listen. */
function pause(ms: number, signal: AbortSignal, listens: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    if (!listens) return;
    const stop = (): void => {
      clearTimeout(timer);
      reject(new TransientError('stopped'));
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

async function work(input: WorkInput | null, ctx: HandlerContext): Promise<unknown> {
  const nonce = randomUUID();
  const base = {
    run: ctx.runId,
    attempt: ctx.attemptId,
    job: ctx.job,
    tenant: ctx.tenant,
    submission: input?.submission ?? null,
    nonce,
    worker,
  };
  write({ ...base, kind: 'start', at: Date.now() });
  await pause(input?.ms ?? 5, ctx.signal, input?.deaf !== true);
  const step = input?.plan?.[ctx.attempt - 1] ?? 'ok';
  const kind = step === 'ok' ? 'succeeded' : 'failed';
  write({ ...base, kind, at: Date.now() });
  if (step === 'transient') throw new TransientError('planned');
  if (step === 'permanent') throw new PermanentError('planned');
  return { nonce, submission: input?.submission ?? null };
}

export const handler = job('work', {}, work);
