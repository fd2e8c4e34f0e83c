import type { Command, Engine } from '@signalbox/engine';
import { payloadBytes } from './command-bytes.ts';
import type { Leases } from './leases.ts';
import type { Mail } from './mailbox.ts';
import { type Refused, refused } from './refused.ts';

/** Room is looked at once for this many small reports: to look for each costs a percent of throughput. */
const REPORTS_PER_LOOK = 64;
const SMALL_BYTES = 4_096;

/**
 * Applies reports of a worker until there is no room: nobody waits for them together, and one message
 * may hold more outputs than a commit takes. Returns how many were applied, one at least.
 */
export function applyReports(
  { commands, bytes }: { readonly commands: readonly Command[]; readonly bytes: number },
  hasRoom: () => boolean,
  apply: (command: Command) => void,
): number {
  // No more than may be applied between two looks: then the single ones need not be weighed.
  const areSmall = bytes <= REPORTS_PER_LOOK * SMALL_BYTES;
  let applied = 0;
  for (const command of commands) {
    const isSmall = areSmall || payloadBytes(command) <= SMALL_BYTES;
    const isLook = applied % REPORTS_PER_LOOK === 0 || !isSmall;
    if (applied > 0 && isLook && !hasRoom()) break;
    apply(command);
    applied++;
  }
  return applied;
}

/**
 * Mail waits while a commit hangs, and ownership may change meanwhile. A book that was read in
 * under a lease since lost must not come to life, and nothing may be decided on one.
 */
export function staleMail(
  { commands: [command], partition }: Mail,
  { core }: Engine,
  leases: Leases,
): Refused | null {
  if (command === undefined) return null;
  if (command.kind === 'takePartition') {
    const held = leases.held.get(command.book.partition);
    return held?.epoch === command.book.epoch ? null : refused('not_owner');
  }
  if (partition === null || command.kind === 'leavePartition') return null;
  const book = core.books.get(partition);
  return book !== undefined && book.epoch === leases.held.get(partition)?.epoch
    ? null
    : refused('not_owner');
}
