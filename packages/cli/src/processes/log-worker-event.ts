import type { Logger } from '@signalbox/node/log';
import type { WorkerEvent } from '@signalbox/worker';

/** One line for each event: a name that can be searched, the ids of what it is about, and fields. */
export function logWorkerEvent(log: Logger, event: WorkerEvent): void {
  switch (event.kind) {
    case 'worker': {
      const { from, to } = event;
      return log.info({ event: 'worker.changed', from, to }, 'worker state changed');
    }
    case 'attempt': {
      const { kind, ...fields } = event;
      return log.debug({ event: 'attempt.changed', ...fields }, 'attempt state changed');
    }
    case 'failed': {
      const { kind, why, ...fields } = event;
      const isTimeout = why === 'timeout' || why === 'stuck';
      const name = isTimeout ? 'attempt.timed_out' : 'attempt.failed';
      const text = isTimeout ? 'attempt timed out' : 'attempt failed';
      return log.warn({ event: name, reason: why, ...fields }, text);
    }
    case 'refused': {
      const { kind, why, ...fields } = event;
      return log.info({ event: 'attempt.refused', reason: why, ...fields }, 'attempt refused');
    }
    case 'drainAsked':
      return log.info({ event: 'worker.drain_requested', link: event.link }, 'drain requested');
    case 'link': {
      const { kind, ...fields } = event.event;
      const level = kind === 'disconnected' ? 'warn' : 'info';
      return log[level]({ event: `link.${kind}`, link: event.link, ...fields }, `link ${kind}`);
    }
  }
}
