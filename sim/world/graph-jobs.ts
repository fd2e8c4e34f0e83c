import type { FailurePolicy, TaskDefinition } from '@signalbox/engine';
import type { Job } from './catalogue.ts';

const FAST_RETRY = { attemptsMax: 3, fixedDelayMs: 4_000 } as const;

export function task(extra: TaskDefinition = {}): TaskDefinition {
  return { retry: FAST_RETRY, timeouts: { graceMs: 3_000, hardMs: 120_000 }, ...extra };
}

/** Graphs that do more than wait for each other; `yes` and `no` are what the judge of a node knows. */
export const GRAPHS: readonly Job[] = [
  {
    name: 'branches',
    weight: 2,
    definition: {
      failurePolicy: 'FAIL_AFTER_ALL',
      tasks: [
        task({ name: 'a' }),
        task({ name: 'yes', after: ['a'], when: 'yes' }),
        task({ name: 'no', after: ['a'], when: 'no' }),
        task({ name: 'with', after: ['no'] }),
        task({ name: 'join', after: ['yes', 'no'], ifParentSkipped: 'run' }),
        task({ name: 'end', after: ['join', 'a'] }),
      ],
    },
    behaviour: { ms: [50, 3_000], transient: 0.1, permanent: 0.15 },
  },
  {
    name: 'fan',
    weight: 2,
    definition: {
      failurePolicy: 'SKIP_FAILED',
      notify: { onSuccess: [{}], onFailure: [{}] },
      tasks: [
        task({ name: 'split' }),
        task({ name: 'each', after: ['split'], fanOut: { from: 'split' } }),
        task({ name: 'join', after: ['each'] }),
      ],
    },
    behaviour: { ms: [50, 2_000], transient: 0.1, permanent: 0.1, asks: { total: 5, adds: 0 } },
  },
  {
    name: 'careful',
    weight: 1,
    definition: {
      failurePolicy: 'PAUSE',
      notify: { onAlert: [{}] },
      tasks: [task({ name: 'a' }), task({ name: 'b', after: ['a'] }), task({ name: 'c' })],
    },
    behaviour: { ms: [50, 2_000], permanent: 0.3 },
  },
  {
    name: 'waits',
    weight: 1,
    definition: {
      failurePolicy: 'CONTINUE',
      tasks: [
        task({ name: 'a' }),
        { name: 'sleep', after: ['a'], sleep: { forMs: 20_000 } },
        { name: 'ask', after: ['a'], approval: { timeoutMs: 15_000, default: 'approve' } },
        {
          name: 'event',
          after: ['sleep'],
          event: { type: 'x', timeoutMs: 9_000, default: 'skip' },
        },
        { name: 'nested', after: ['ask'], run: { job: 'quick' } },
        task({ name: 'end', after: ['event', 'nested'], ifParentSkipped: 'run' }),
      ],
    },
    behaviour: { ms: [50, 2_000], permanent: 0.1 },
  },
  {
    name: 'nests',
    weight: 2,
    needs: ['diamond', 'flaky'],
    definition: {
      failurePolicy: 'FAIL_FAST',
      tasks: [
        { name: 'one', run: { job: 'diamond' } },
        { name: 'two', run: { job: 'flaky' } },
        task({ name: 'beside' }),
      ],
    },
    behaviour: { ms: [50, 9_000], permanent: 0.3 },
  },
  {
    name: 'deeper',
    weight: 1,
    needs: ['nests', 'diamond', 'flaky'],
    definition: {
      failurePolicy: 'PAUSE',
      notify: { onAlert: [{}] },
      tasks: [{ name: 'n', run: { job: 'nests' } }, task({ name: 'end', after: ['n'] })],
    },
    behaviour: { ms: [50, 2_000] },
  },
  // Nobody answers a `patient` run: only the cancellation of the one that waits for it ends it.
  {
    name: 'patient',
    weight: 0,
    definition: { failurePolicy: 'FAIL_FAST', tasks: [{ name: 'ask', approval: {} }] },
    behaviour: { ms: [600_000, 600_000] },
  },
  {
    name: 'abandons',
    weight: 2,
    needs: ['patient'],
    definition: {
      failurePolicy: 'FAIL_FAST',
      tasks: [{ name: 'n', run: { job: 'patient' } }, task({ name: 'beside' })],
    },
    behaviour: { ms: [50, 12_000], permanent: 1 },
  },
  {
    name: 'grows',
    weight: 1,
    definition: {
      failurePolicy: 'FAIL_AFTER_ALL',
      tasks: [task({ name: 'plan', dynamic: true }), task({ name: 'end', after: ['plan'] })],
    },
    behaviour: { ms: [50, 2_000], transient: 0.1, asks: { total: 0, adds: 3 } },
  },
];

const POLICIES: readonly FailurePolicy[] = [
  'FAIL_FAST',
  'FAIL_AFTER_ALL',
  'SKIP_FAILED',
  'CONTINUE',
  'PAUSE',
];

const gateName = (policy: FailurePolicy): string => `gate_${policy.toLowerCase()}`;

/** Somebody says no, nobody says anything, and somebody's no does not matter: under every policy. */
const OWN_GATES: readonly Job[] = POLICIES.map((failurePolicy) => ({
  name: gateName(failurePolicy),
  weight: 1,
  definition: {
    failurePolicy,
    notify: { onAlert: [{}] },
    tasks: [
      task({ name: 'a' }),
      { name: 'no', after: ['a'], approval: { timeoutMs: 4_000, default: 'reject' } },
      task({ name: 'behind', after: ['no'] }),
      task({ name: 'further', after: ['behind', 'a'], ifParentSkipped: 'run' }),
      { name: 'silence', approval: { timeoutMs: 6_000 } },
      { name: 'nested', after: ['silence'], run: { job: 'quick' } },
      {
        name: 'shrug',
        approval: { timeoutMs: 2_000, default: 'reject', onReject: 'continue' },
      },
      task({ name: 'onward', after: ['shrug'] }),
    ],
  },
  behaviour: { ms: [50, 5_000], permanent: 0.1 },
}));

/** The same gates in a nested run: they hold up the outer one too, unless its task says otherwise. */
const NESTED_GATES: readonly Job[] = POLICIES.map((failurePolicy) => ({
  name: `outer_${gateName(failurePolicy)}`,
  weight: 0.4,
  definition: {
    failurePolicy: 'SKIP_FAILED',
    tasks: [
      task({ name: 'a' }),
      { name: 'held', after: ['a'], run: { job: gateName(failurePolicy) } },
      task({ name: 'behind', after: ['held', 'a'], ifParentSkipped: 'run' }),
      {
        name: 'onward',
        after: ['a'],
        run: { job: gateName(failurePolicy), onReject: 'continue' },
      },
      task({ name: 'end', after: ['onward'] }),
    ],
  },
  behaviour: { ms: [50, 5_000] },
}));

export const GATES: readonly Job[] = [...OWN_GATES, ...NESTED_GATES];
