import { type FromWorker, PROTOCOL_VERSION } from '@signalbox/protocol/link';
import type { Attempts } from '../attempt/attempts.ts';
import type { Link } from '../link/link.ts';
import type { WorkerOptions } from '../worker-options.ts';

/** The first frame of a connection: identity, capacity and held attempts. */
export function helloOf(params: {
  options: WorkerOptions;
  instance: string;
  executors: Iterable<string>;
  attempts: Attempts;
  link: Link;
}): FromWorker {
  const { options, attempts } = params;
  return {
    kind: 'hello',
    protocol: PROTOCOL_VERSION,
    worker: options.name,
    instance: params.instance,
    zone: options.zone ?? 'default',
    labels: options.labels ?? {},
    executors: [...params.executors],
    total: attempts.capacity.total,
    foreignUse: attempts.foreignUse(params.link),
    // Of all nodes: this one may have taken over from the one that assigned the attempt.
    holds: [...attempts.all()].map((held) => held.ref),
    packs: true,
  };
}

/** The frames that may have been lost with the last connection, to be sent after a hello. */
export function resumeOf(attempts: Attempts): FromWorker[] {
  return [...attempts.all()].flatMap((held): FromWorker[] => {
    const logs = held.logs.kept;
    if (held.finish !== null) return [...logs, held.finish];
    if (held.saved === null) return [...logs];
    return [...logs, { kind: 'checkpoint', ref: held.ref, state: held.saved }];
  });
}
