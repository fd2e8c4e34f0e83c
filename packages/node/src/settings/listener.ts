import { parseAddress } from '@signalbox/protocol';

export interface Listener {
  readonly host: string;
  /** A proxy in front of the node terminates TLS. */
  readonly tlsProxy?: boolean;
}

/** Throws one clear line if keys and payloads would cross a network in plain text. */
export function assertPrivateListener({ host, tlsProxy = false }: Listener): void {
  if (tlsProxy || isLoopback(host)) return;
  throw new Error(
    `setting host: ${host} is not a loopback address, and nodes serve plain HTTP; if a proxy that terminates TLS is in front of the node, set tls-proxy (--tls-proxy, SIGNALBOX_TLS_PROXY=true), otherwise listen on 127.0.0.1`,
  );
}

/** Other names may resolve to any address, also to another one at the next start. */
function isLoopback(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const bytes = parseAddress(host);
  if (bytes === null) return false;
  if (bytes.length === 4) return bytes[0] === 127;
  return parseAddress('::1')?.every((byte, i) => byte === bytes[i]) === true;
}
