import { isFailed } from '@signalbox/protocol';

/** Which state of several is told first: what went wrong, then what goes on, then what is over. */
const FOREMOST = [
  'FAILED',
  'TIMED_OUT',
  'QUARANTINED',
  'RUNNING',
  'ASSIGNED',
  'QUEUED',
  'PENDING',
  'CANCELLED',
  'SUCCEEDED',
  'SKIPPED',
];

export function foremostState(states: readonly string[]): string | undefined {
  const seen = new Set(states);
  return FOREMOST.find((state) => seen.has(state)) ?? states[0];
}

const ACTIVE = ['RUNNING', 'ASSIGNED', 'QUEUED', 'PENDING'];

/** How several tasks stand together: what goes on, as long as anything does. */
export function commonState(states: readonly string[]): string | undefined {
  const seen = new Set(states);
  return ACTIVE.find((state) => seen.has(state)) ?? foremostState(states);
}

/** `93 of 100, 2 failed`: how far several tasks have come. */
export function tally(states: readonly string[]): string {
  const count = (wanted: string) => states.filter((state) => state === wanted).length;
  const parts = [`${count('SUCCEEDED')} of ${states.length}`];
  const failed = states.filter(isFailed).length;
  if (failed > 0) parts.push(`${failed} failed`);
  for (const state of ['RUNNING', 'SKIPPED', 'CANCELLED']) {
    if (count(state) > 0) parts.push(`${count(state)} ${state.toLowerCase()}`);
  }
  return parts.join(', ');
}
