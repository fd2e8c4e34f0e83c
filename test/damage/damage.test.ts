import type { RowKind } from '@signalbox/store';
import { expect, it } from 'vitest';
import { createDatabase, describePostgres } from '../../tools/testing/postgres.ts';
import { runDamage } from './run-damage.ts';

const KINDS: readonly RowKind[] = [
  ...(['group', 'checkpoint', 'run', 'end', 'key', 'parked'] as const),
  ...(['inbox', 'definition', 'blob'] as const),
];

/** A few rounds; `npm run damage` does more. */
async function judge(options: Parameters<typeof runDamage>[0]): Promise<void> {
  const { problems } = await runDamage(options);
  expect(problems, problems.join('\n')).toEqual([]);
}

it('a damaged row on a file is named, and everything else goes on', async () => {
  await judge({ seed: 1, rounds: 2 * KINDS.length, kinds: KINDS });
}, 120_000);

describePostgres('on PostgreSQL', () => {
  it('a damaged row is named, and everything else goes on', async () => {
    await judge({ seed: 1, rounds: KINDS.length, kinds: KINDS, postgres: await createDatabase() });
  }, 240_000);
});
