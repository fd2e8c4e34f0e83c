interface StateMeaning {
  /** Of several tasks drawn as one box, the state with the lowest rank is shown. */
  readonly rank: number;
  readonly phase: 'failed' | 'active' | 'ended';
}

/** Failures come first, then what is active, then what has ended. */
const STATES = {
  FAILED: { rank: 0, phase: 'failed' },
  TIMED_OUT: { rank: 1, phase: 'failed' },
  QUARANTINED: { rank: 2, phase: 'failed' },
  RUNNING: { rank: 3, phase: 'active' },
  ASSIGNED: { rank: 4, phase: 'active' },
  QUEUED: { rank: 5, phase: 'active' },
  PENDING: { rank: 6, phase: 'active' },
  CANCELLED: { rank: 7, phase: 'ended' },
  SUCCEEDED: { rank: 8, phase: 'ended' },
  SKIPPED: { rank: 9, phase: 'ended' },
} as const satisfies Readonly<Record<string, StateMeaning>>;

/** The states of a task. Every table keyed by them must decide about a new one. */
export type BoxState = keyof typeof STATES;

/** A newer node may report a state that is not in the table. */
function meaningOf(state: BoxState): StateMeaning | undefined {
  return Object.hasOwn(STATES, state) ? STATES[state] : undefined;
}

/** The state that matters most among several. */
export function foremostState(states: readonly BoxState[]): BoxState | undefined {
  const rankOf = (state: BoxState) => meaningOf(state)?.rank ?? Number.POSITIVE_INFINITY;
  let foremost = states[0];
  for (const state of new Set(states)) {
    if (foremost === undefined || rankOf(state) < rankOf(foremost)) foremost = state;
  }
  return foremost;
}

/** The common state of several tasks: an active one as long as any task is active. */
export function commonState(states: readonly BoxState[]): BoxState | undefined {
  const active = states.filter((state) => meaningOf(state)?.phase === 'active');
  return foremostState(active.length > 0 ? active : states);
}

/** `93 of 100, 2 failed`: the progress of several tasks. */
export function tally(states: readonly BoxState[]): string {
  const count = (wanted: BoxState) => states.filter((state) => state === wanted).length;
  const parts = [`${count('SUCCEEDED')} of ${states.length}`];
  const failed = states.filter((state) => meaningOf(state)?.phase === 'failed').length;
  if (failed > 0) parts.push(`${failed} failed`);
  for (const state of ['RUNNING', 'SKIPPED', 'CANCELLED'] as const) {
    if (count(state) > 0) parts.push(`${count(state)} ${state.toLowerCase()}`);
  }
  return parts.join(', ');
}
