import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld } from './testing/api-world.ts';

let world: ApiWorld;
beforeAll(async () => {
  world = await ApiWorld.start();
  await world.ask('/jobs', { body: { name: 'nightly', definition: {} } });
  const body = { name: 'hourly', definition: { job: 'nightly', every: '1h' } };
  expect((await world.ask('/schedules', { body })).status).toBeLessThan(300);
});
afterAll(() => world.stop());

const places: [string, (instant: string) => [string, unknown]][] = [
  ['expiresAt', (expiresAt) => ['/keys', { role: 'viewer', expiresAt }]],
  ['runAt', (runAt) => ['/runs', { job: 'nightly', runAt }]],
  ...(['runAt', 'startAt', 'endAt', 'anchorAt'] as const).map(
    (field): [string, (instant: string) => [string, unknown]] => [
      `definition.${field}`,
      (instant) => {
        const when = field === 'runAt' ? {} : { every: '1h' };
        const definition = { job: 'nightly', ...when, [field]: instant };
        return ['/schedules', { name: 'other', definition }];
      },
    ],
  ),
  [
    'tasks[0].sleep.until',
    (until) => ['/jobs', { name: 'x', definition: { tasks: [{ name: 'a', sleep: { until } }] } }],
  ],
  ['from', (from) => ['/schedules/hourly/backfill', { from, until: '2030-01-01' }]],
];

describe('an instant', () => {
  it.each(places)(
    'is refused unless a clock shows it and it is in range: %s',
    async (field, at) => {
      for (const instant of [
        '2016-12-31T23:59:60Z',
        '2030-12-31T23:59:60Z',
        '2030-12-31T24:00:00Z',
        '2030-02-30T00:00:00Z',
        '2030-01-31T09:00:00',
        '0001-01-01T00:00:00Z',
        '9999-12-31T23:59:59Z',
        'NaN',
      ]) {
        const [path, body] = at(instant);
        const answer = await world.ask(path, { body });
        expect([instant, answer.status]).toEqual([instant, 422]);
        expect(answer.error().field?.endsWith(field), instant).toBe(true);
      }
    },
  );

  it('is refused with its range', async () => {
    const answer = await world.ask('/keys', {
      body: { role: 'viewer', expiresAt: '9999-12-31T00:00:00Z' },
    });
    expect(answer.error().message).toBe(
      'must be a date and time in ISO 8601 with a UTC offset, or a date, from 1970-01-01 to 2199-12-31',
    );
  });
});
