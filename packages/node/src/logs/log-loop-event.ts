import { assertNever } from '@signalbox/engine';
import type { LoopEvent } from '../loop/ports.ts';
import type { Logger } from '../settings/log-events.ts';

/** One line for each event of the commit loop, but for those that come with every commit. */
export function logLoopEvent(log: Logger, event: LoopEvent): void {
  const { kind, ...fields } = event;
  switch (event.kind) {
    case 'committed':
    case 'partitionRead':
      return;
    case 'leaseAcquired':
      return log.debug({ event: 'lease.acquired', ...fields }, 'lease acquired');
    case 'leaseRenewed':
      return log.debug({ event: 'lease.renewed', ...fields }, 'leases renewed');
    case 'leaseLost': {
      const { partition, why: reason } = event;
      // A lease that is given back on purpose is no news; one that another node took is.
      const level = reason === 'fenced' || reason === 'lost' ? 'warn' : 'debug';
      return log[level]({ event: 'lease.lost', partition, reason }, 'lease lost');
    }
    case 'groupRefused':
      return log.error({ event: 'commit.failed', ...fields }, 'commit refused, partition released');
    case 'takeOverFailed':
      return log.error({ event: 'partition.read_failed', ...fields }, 'partition cannot be read');
    case 'takenOver':
      return log.debug({ event: 'partition.taken_over', ...fields }, 'partition taken over');
    case 'storeAway':
      return log.warn({ event: 'store.unavailable', reason: event.error }, 'store unavailable');
    case 'storeBack':
      return log.info({ event: 'store.available' }, 'store available again');
    case 'paused':
      return log.debug({ event: 'submissions.paused', ...fields }, 'submissions paused');
    case 'commitUnknown':
      return log.debug({ event: 'commit.unknown' }, 'outcome of a commit unknown');
    case 'keyTaken':
      return log.debug({ event: 'key.taken' }, 'idempotency key taken');
    case 'reportDropped':
      return log.debug({ event: 'report.dropped' }, 'report dropped');
    case 'checkpointed':
      return log.debug({ event: 'partition.checkpointed', ...fields }, 'partition checkpointed');
    default:
      return assertNever(event);
  }
}
