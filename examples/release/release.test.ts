// Waiting for a person takes no time here, and a night takes none either.
import { simulate } from 'signalbox/testing';
import { expect, it } from 'vitest';
import { release } from './release.ts';

it('waits for the night, then for a person, and publishes', async () => {
  await using t = await simulate({ jobs: [release], at: '2026-01-01T20:00:00Z' });
  const run = await t.submit(release, { version: '1.2', isUrgent: false });
  await t.advance('7h');
  expect(await stateOf(run, 'approve')).toBe('PENDING');
  await t.advance('2h');
  await t.approve(run.id, 'approve', { comment: 'looks good' });
  expect(await run.result()).toBe('shop:1.2 published, approved by embedded');
});

it('does not wait for the night where it is urgent', async () => {
  await using t = await simulate({ jobs: [release], at: '2026-01-01T20:00:00Z' });
  const run = await t.submit(release, { version: '1.3', isUrgent: true });
  await t.advance('1s');
  expect(await stateOf(run, 'night')).toBe('SKIPPED');
  await t.approve(run.id, 'approve');
  expect(await run.state()).toBe('SUCCEEDED');
});

it('publishes nothing that nobody approves within a day', async () => {
  await using t = await simulate({ jobs: [release], at: '2026-01-01T20:00:00Z' });
  const run = await t.submit(release, { version: '1.4', isUrgent: true });
  await t.advance('25h');
  expect(await run.state()).toBe('FAILED');
  expect(await stateOf(run, 'publish')).toBe('CANCELLED');
});

async function stateOf(
  run: { view(): Promise<{ tasks: { name: string; state: string }[] }> },
  task: string,
): Promise<string | undefined> {
  return (await run.view()).tasks.find(({ name }) => name === task)?.state;
}
