import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { rootCertificates, connect as secure } from 'node:tls';
import { isAddressAllowed, parseAddress } from '@signalbox/protocol/link';
import type { buildConnector } from 'undici';
import { HttpFailure } from './http-failure.ts';
import { CONNECT_MS, TLS_MS, type VettedTarget } from './http-options.ts';
import type { Vetting } from './vet-target.ts';

/**
 * Opens the connection of a request. The name is not asked for again: a second answer could be
 * another than the one that was checked. The far end is compared once more before a byte is written.
 */
export function vettedConnector(target: VettedTarget, vetting: Vetting): buildConnector.connector {
  return (_options, callback) => {
    open(target, vetting).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

async function open(target: VettedTarget, vetting: Vetting): Promise<Socket> {
  const { options, signal } = vetting;
  const socket = (options.dial ?? dialVetted)(target);
  // An error between two owners of the socket would otherwise end the process.
  socket.on('error', () => {});
  try {
    await happened(socket, { event: 'connect', withinMs: options.connectMs ?? CONNECT_MS, signal });
    requireVetted(socket, target, vetting);
    if (target.url.protocol === 'http:') return socket;
    const encrypted = secure({
      socket,
      host: target.host,
      ...(isIP(target.host) === 0 ? { servername: target.host } : {}),
      ...(options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] }),
      ALPNProtocols: ['http/1.1'],
    });
    encrypted.on('error', () => {});
    const withinMs = options.tlsMs ?? TLS_MS;
    await happened(encrypted, { event: 'secureConnect', withinMs, signal });
    return encrypted;
  } catch (error) {
    socket.destroy();
    if (error instanceof HttpFailure) throw error;
    vetting.refused({ host: target.host, address: socket.remoteAddress ?? null, why: `${error}` });
    throw new HttpFailure('connect_failed');
  }
}

function requireVetted(socket: Socket, target: VettedTarget, vetting: Vetting): void {
  const remote = socket.remoteAddress ?? '';
  const key = String(parseAddress(remote));
  const isKnown = target.addresses.some((address) => String(parseAddress(address)) === key);
  if (isKnown && isAddressAllowed(remote, vetting.options)) return;
  vetting.refused({
    host: target.host,
    address: remote,
    why: 'connected to an address that was not checked',
  });
  throw new HttpFailure('target_not_allowed', 'the target is not allowed');
}

function dialVetted(target: VettedTarget): Socket {
  const answers = target.addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_host, options, callback) => {
    const [first] = answers;
    if (options.all === true) callback(null, answers);
    else callback(null, first?.address ?? '', first?.family);
  };
  const { host, port } = target;
  return connect({ host, port, lookup, autoSelectFamily: true, noDelay: true });
}

function happened(
  socket: Socket,
  params: { event: string; withinMs: number; signal: AbortSignal },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const late = (): void => reject(new Error(`no ${params.event} in time`));
  const closed = (): void => reject(new Error('closed'));
  const timer = setTimeout(late, params.withinMs);
  socket.once(params.event, resolve);
  socket.once('error', reject);
  socket.once('close', closed);
  params.signal.addEventListener('abort', late);
  if (params.signal.aborted) late();
  return promise.finally(() => {
    clearTimeout(timer);
    socket.off(params.event, resolve);
    socket.off('error', reject);
    socket.off('close', closed);
    params.signal.removeEventListener('abort', late);
  });
}
