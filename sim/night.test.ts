import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** The whole runner, as `npm run sim` starts it. */
const main = fileURLToPath(new URL('./main.ts', import.meta.url));

it('DUR-02 DUR-04 DUR-06 DUR-07 DUR-10 DUR-13 DUR-14 PLC-11 100 seeds of 30 simulated minutes break no promise', () => {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      main,
      '--seeds',
      '100',
      '--minutes',
      '30',
      '--json',
      '--no-canaries',
    ],
    { encoding: 'utf8', maxBuffer: 1e8 },
  );
  const summary = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}');
  expect(summary.failures, stderr).toEqual([]);
  expect(summary.never).toEqual([]);
  expect(summary).toMatchObject({ seeds: 100, violations: 0, nondeterministic: 0 });
  expect(status).toBe(0);
}, 600_000);
