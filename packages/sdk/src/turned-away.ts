import { CLOSE, NAME_TAKEN } from '@signalbox/protocol';
import type { LinkEvent } from '@signalbox/worker';
import { SignalboxError } from './errors.ts';

/** HTTP statuses after which the same request may well be accepted later. */
const FOR_NOW: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * The error if a node rejects the worker and would reject it again. Null for temporary failures, such as a node
 * that has not started yet.
 */
export function turnedAway(event: LinkEvent): SignalboxError | null {
  if (event.kind !== 'disconnected') return null;
  const { code, reason } = event;
  const status = statusOf(reason);
  if (code === CLOSE.unauthenticated || status === 401) {
    return new SignalboxError('unauthenticated', `the node refused the key: ${reason}`);
  }
  if (code === CLOSE.forbidden || status === 403) {
    return new SignalboxError(
      'forbidden',
      `the key cannot attach a worker: ${reason}; use a key with the role worker`,
    );
  }
  if (code === CLOSE.invalid && reason === NAME_TAKEN) {
    const message = `${reason}; choose another name, or stop the other worker first`;
    return new SignalboxError('conflict', message, { field: 'name' });
  }
  if (code === CLOSE.invalid || code === CLOSE.protocol || code === CLOSE.tooLarge) {
    const message = `the node refused the worker: ${reason}; change the name or the settings of the worker`;
    return new SignalboxError('invalid', message);
  }
  if (status !== null && status < 500 && !FOR_NOW.has(status)) {
    const message = `no node accepts workers at this address: ${reason}`;
    return new SignalboxError('not_found', message);
  }
  return null;
}

/** The HTTP status of a failed handshake. */
function statusOf(reason: string): number | null {
  const status = /unexpected server response: (\d{3})/i.exec(reason)?.[1];
  return status === undefined ? null : Number(status);
}
