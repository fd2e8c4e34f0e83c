import type { Socket } from 'node:net';
import { parseBlock, type TargetOptions } from '@signalbox/protocol/link';

export interface HttpExecutorOptions extends TargetOptions {
  /** Resolves all addresses of a name. Default: the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Certificates to trust beside those of the runtime, in PEM. */
  readonly ca?: string;
  readonly resolveMs?: number;
  readonly connectMs?: number;
  readonly tlsMs?: number;
  /** Details for the operator's log that the tenant does not see. */
  readonly onRefused?: (refusal: RefusedTarget) => void;
  readonly dial?: (target: VettedTarget) => Socket;
}

export interface RefusedTarget {
  readonly attempt: string;
  readonly tenant: string;
  readonly host: string;
  /** Null where the host alone was enough. */
  readonly address: string | null;
  readonly why: string;
}

/** A target with the only addresses that may be dialled for it. */
export interface VettedTarget {
  readonly url: URL;
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
}

export const RESOLVE_MS = 2_000;
export const CONNECT_MS = 3_000;
export const TLS_MS = 3_000;
export const REQUEST_MS = 30_000;

/** A range that cannot be parsed would block nothing, so it prevents the start. */
export function checkOptions(options: HttpExecutorOptions): void {
  for (const blocked of options.extraBlocked ?? []) {
    if (blocked.includes('/') && parseBlock(blocked) === null) {
      throw new Error(`extraBlocked: ${blocked} is not an IP address block`);
    }
  }
}
