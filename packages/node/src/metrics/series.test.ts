import fc from 'fast-check';
import { Counter as LibraryCounter, Histogram as LibraryHistogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { Counter } from './counter.ts';
import { Histogram } from './histogram.ts';
import { register } from './series.ts';

const NAME = 'a_metric';
const HELP = 'Something, with a \\ and\na line break';
const labelValue = fc.oneof(fc.constantFrom('', 'a', 'b', 'a"b', 'a\nb', '__proto__'), fc.string());
const observed = fc.array(
  fc.record({ class: labelValue, tenant: labelValue, value: fc.integer({ min: 0, max: 100 }) }),
);

describe('what is scraped', () => {
  it('OBS-03 of a counter is, letter for letter, what the library would show', () =>
    assertProperty(
      fc.asyncProperty(observed, async (all) => {
        const [ours, theirs] = [new Registry(), new Registry()];
        const counter = new Counter({ name: NAME, help: HELP, labels: ['class', 'tenant'] });
        register(ours, counter);
        const names = ['class', 'tenant'];
        const library = new LibraryCounter({
          name: NAME,
          help: HELP,
          labelNames: names,
          registers: [theirs],
        });
        for (const { class: klass, tenant, value } of all) {
          counter.of(klass, tenant).add(value);
          library.inc({ class: klass, tenant }, value);
        }
        expect(await ours.metrics()).toBe(await theirs.metrics());
      }),
    ));

  it('OBS-03 of a histogram is, letter for letter, what the library would show', () =>
    assertProperty(
      fc.asyncProperty(observed, async (all) => {
        const [ours, theirs] = [new Registry(), new Registry()];
        const bounds = [0, 0.5, 10, 50];
        const histogram = new Histogram({
          name: NAME,
          help: HELP,
          bounds,
          labels: ['class', 'tenant'],
        });
        register(ours, histogram);
        const library = new LibraryHistogram({
          name: NAME,
          help: HELP,
          buckets: bounds,
          labelNames: ['class', 'tenant'],
          registers: [theirs],
        });
        for (const { class: klass, tenant, value } of all) {
          histogram.of(klass, tenant).observe(value / 3);
          library.observe({ class: klass, tenant }, value / 3);
        }
        expect(await ours.metrics()).toBe(await theirs.metrics());
      }),
    ));

  it('of a metric without labels is there before anything was counted', async () => {
    const registry = new Registry();
    const counter = new Counter({ name: NAME, help: 'Something', labels: [] });
    register(registry, counter);
    const count = counter.of();
    expect(await registry.metrics()).toContain(`${NAME} 0\n`);
    counter.of().add(2);
    expect(count.value).toBe(2);
    expect(await registry.metrics()).toContain(`${NAME} 2\n`);
  });
});
