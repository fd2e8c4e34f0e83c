import type { FromNode, Ref } from '@signalbox/protocol/link';

type Assign = FromNode & { readonly kind: 'assign' };

/** Handlers that a worker must have to be tried, and the two slots of its capacity. */
export const HANDLERS = {
  /** Its output is its input, byte by byte. */
  echo: 'conformance.echo',
  /** Runs until it is told to stop, then saves a checkpoint of any bytes and stops. */
  wait: 'conformance.wait',
  /** Its output is the checkpoint that it was given. */
  resume: 'conformance.resume',
} as const;
export const SLOTS = 2;

export function refOf(seq: number): Ref {
  return [3, seq, 0, 1, 5, seq + 100];
}

export function assignOf(
  seq: number,
  handler: keyof typeof HANDLERS,
  more: Partial<Assign> = {},
): Assign {
  return {
    kind: 'assign',
    ref: refOf(seq),
    about: {
      tenant: 'default',
      job: 'conformance',
      jobVersion: 1,
      task: 'main',
      executor: `handler:${HANDLERS[handler]}`,
      work: null,
      request: { cpuMilli: 0, memoryMb: 0, gpu: 0, diskMb: 0, slots: 1 },
      class: 'P1',
      graceMs: 2_000,
    },
    run: `run-${seq}`,
    timeoutMs: null,
    input: null,
    checkpoint: null,
    ...more,
  };
}
