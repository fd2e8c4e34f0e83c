import { defineConfig } from 'vitest/config';

/** These replace modules or the environment of their process, or judge what else runs in it. */
const NEEDS_OWN_PROCESS = ['packages/engine/src/dispatch/blocked.test.ts'];

/** Tests that leave nothing behind in their process share one: a process for each file costs 0.4 s of a core. */
const SHARED = ['engine', 'graph', 'protocol', 'store', 'node'].map(
  (name) => `packages/${name}/src/**/*.test.ts`,
);

const limits = {
  pool: 'forks' as const,
  testTimeout: 30_000,
  hookTimeout: 60_000,
  globalSetup: ['tools/testing/vitest-postgres.ts'],
  setupFiles: ['packages/node/src/api/testing/check-contract.ts'],
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    cache: false,
    projects: [
      {
        test: {
          ...limits,
          name: 'shared',
          isolate: false,
          include: SHARED,
          exclude: ['**/node_modules/**', ...NEEDS_OWN_PROCESS],
        },
      },
      {
        test: {
          ...limits,
          name: 'alone',
          include: [
            ...NEEDS_OWN_PROCESS,
            'packages/{worker,sdk,cli}/src/**/*.test.ts',
            'sim/**/*.test.ts',
            'bench/**/*.test.ts',
            'test/**/*.test.ts',
            'tools/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**'],
        },
      },
    ],
  },
});
