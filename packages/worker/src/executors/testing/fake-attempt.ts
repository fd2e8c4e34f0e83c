import type { Assign, AttemptContext } from '../../executor.ts';

/** An attempt without a worker around it, for tests of executors. */
export function fakeAttempt(
  params: {
    work?: Readonly<Record<string, unknown>> | null;
    assign?: Partial<Assign>;
    input?: string | Uint8Array | null;
    graceMs?: number;
  } = {},
): AttemptContext & {
  /** Everything that was logged, by stream. */
  readonly logged: Record<'stdout' | 'stderr' | 'log', string>;
  readonly logCalls: { stream: string; bytes: number }[];
  abort(why?: string): void;
} {
  const controller = new AbortController();
  const logged = { stdout: '', stderr: '', log: '' };
  const logCalls: { stream: string; bytes: number }[] = [];
  const run = '01900000-0000-7000-8000-000000000001';
  const { input = null, work = null } = params;
  return {
    assign: {
      ref: [0, 1, 0, 1, 1, 1],
      tenant: 'acme',
      job: 'job',
      jobVersion: 1,
      run,
      task: 'main',
      id: `${run}:main:1`,
      executor: 'test',
      work,
      request: { cpuMilli: 0, memoryMb: 0, gpu: 0, diskMb: 0, slots: 1 },
      class: 'P1',
      idempotencyKey: `${run}:main`,
      inputHash: 'ab'.repeat(32),
      timeoutMs: null,
      graceMs: params.graceMs ?? 5_000,
      input: null,
      checkpoint: null,
      ...params.assign,
    },
    input: typeof input === 'string' ? new TextEncoder().encode(input) : input,
    parents: null,
    checkpoint: null,
    signal: controller.signal,
    graceMs: params.graceMs ?? 5_000,
    deadline: null,
    log: (stream, text) => {
      logged[stream] += `${typeof text === 'string' ? text : new TextDecoder().decode(text)}\n`;
      logCalls.push({ stream, bytes: text.length });
    },
    progress: () => {},
    saveCheckpoint: async () => {},
    extend: async () => false,
    logged,
    logCalls,
    abort: (why = 'cancelled') => controller.abort(why),
  };
}
