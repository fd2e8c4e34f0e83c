import { LIMITS } from '@signalbox/protocol';

/** What one worker may take of a node, so that none can take it from the others. */
export interface GatewayLimits {
  /** A connection without `hello` is closed after this time (h63). */
  readonly helloMs: number;
  readonly slotsMax: number;
  readonly gpuMax: number;
  /** Of cpu, memory and disk, in their units. */
  readonly amountMax: number;
  readonly executorsMax: number;
  readonly labelsMax: number;
  /** Sent but not read: a worker that reads more slowly than this is closed. */
  readonly bufferedBytesMax: number;
  /** Beats that may be missed before the link is taken for dead. */
  readonly beatsMissed: number;
  /** Results whose confirmation is remembered, so that a repeated one is answered alike (h67). */
  readonly confirmsKept: number;
}

export const DEFAULT_GATEWAY_LIMITS: GatewayLimits = {
  helloMs: 5_000,
  slotsMax: LIMITS['worker.slots'].max,
  gpuMax: LIMITS['worker.gpu'].max,
  amountMax: LIMITS['worker.memoryMb'].max,
  executorsMax: 1_000,
  labelsMax: 100,
  bufferedBytesMax: 16_777_216,
  beatsMissed: 4,
  confirmsKept: 20_000,
};
