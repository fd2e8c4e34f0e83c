import { readFileSync } from 'node:fs';
import { RANGES } from '@signalbox/engine';
import type { TSchema } from 'typebox';
import { describe, expect, it } from 'vitest';
import { formatDuration } from './duration.ts';
import * as protocol from './index.ts';
import {
  type DurationName,
  durationWithin,
  isWithin,
  LIMITS,
  type LimitName,
  type Range,
  rangeText,
  requireDuration,
  requireWithin,
  SIZES,
} from './limits.ts';

const names = Object.keys(LIMITS) as LimitName[];

interface Node extends TSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly patternProperties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** What stands under its name alone, or under another's: one range for the three ways to write a delay. */
const SHARED: Readonly<Record<string, LimitName>> = {
  'retry.backoff': 'backoff.delay',
  'backoff.delays': 'backoff.delay',
  ...Object.fromEntries(
    ['job', 'submission', 'schedule', 'trigger'].map((root) => [`${root}.priority`, 'priority']),
  ),
};

/** Every number of a schema, by the name of what it is in and its own: `task.gracePeriod`. */
function numbersOf(schema: Node, within: string, own = ''): [string, Node][] {
  const types = [schema.type ?? []].flat();
  if (types.includes('integer') || types.includes('number')) {
    const name = `${within}.${own}`;
    return [[SHARED[name] ?? name, schema]];
  }
  const inside = own === '' ? within : own === 'tasks' ? 'task' : own;
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
      numbersOf(each, inside, name),
    ),
    ...Object.values(schema.patternProperties ?? {}).flatMap((each) => numbersOf(each, inside)),
    ...(schema.items === undefined ? [] : numbersOf(schema.items, within, own)),
    ...(schema.anyOf ?? []).flatMap((each) => numbersOf(each, within, own)),
  ];
}

describe('the table of limits', () => {
  it.each([
    ['job', protocol.JobDefinition],
    ['submission', protocol.Submission],
    ['schedule', protocol.ScheduleDefinition],
    ['trigger', protocol.TriggerDefinition],
    ['tenant', protocol.TenantDefinition],
    ['backfill', protocol.Backfill],
  ])('has every number of a %s, with the range of the schema', (root, schema) => {
    for (const [name, { minimum, maximum, type }] of numbersOf(schema as Node, root)) {
      const limit: Range | undefined = LIMITS[name as LimitName];
      expect([name, { min: minimum, max: maximum }]).toEqual([
        name,
        { min: limit?.min, max: limit?.max },
      ]);
      expect([name, type === 'number']).toEqual([name, limit?.fraction === true]);
      expect([name, Array.isArray(type)]).toEqual([name, limit?.duration === true]);
    }
  });

  it('is what the engine holds commands to', () => {
    for (const [name, range] of Object.entries(RANGES)) {
      const { min, max, fraction }: Range = LIMITS[name as LimitName];
      expect([name, { min, max, ...(fraction && { fraction }) }]).toEqual([name, range]);
    }
  });

  it('is in docs/api.md, line by line', () => {
    const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
    const lines = [...page.matchAll(/^\| `([\w.]+)` \| ([\d.,]+) \| ([\d.,]+) \|/gm)].map(
      ([, name, min, max]) => [name, min, max],
    );
    const shown = (value: number) => value.toLocaleString('en-US');
    expect(lines).toEqual(
      names.map((name) => [name, shown(LIMITS[name].min), shown(LIMITS[name].max)]),
    );
  });

  it('has the sizes of docs/api.md, line by line', () => {
    const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
    const section = page.slice(page.indexOf('### Sizes'));
    const lines = [...section.matchAll(/^\| `([\w.]+)` \| ([\d,]+) to ([\d,]+) \|/gm)].map(
      ([, name, min, max]) => [name, min, max],
    );
    const shown = (value: number) => value.toLocaleString('en-US');
    expect(lines).toEqual(
      Object.entries(SIZES).map(([name, { min, max }]) => [name, shown(min), shown(max)]),
    );
  });

  it('fits into what the journal, the link and a date can hold', () => {
    for (const name of names) {
      const { min, max, fraction, duration }: Range = LIMITS[name];
      expect(min).toBeLessThanOrEqual(max);
      if (fraction !== true) expect([min, max].every(Number.isSafeInteger)).toBe(true);
      if (duration === true) {
        expect(new Date(Date.now() + max).getTime()).not.toBeNaN();
      }
    }
  });

  it.each(names)('%s takes its ends and refuses what is beyond them', (name) => {
    const { min, max }: Range = LIMITS[name];
    for (const value of [min, max]) expect(isWithin(name, value)).toBe(true);
    const odd = [min - 1, max + 1, Number.NaN, Number.POSITIVE_INFINITY, -1e300, '1', null];
    for (const value of odd) expect(isWithin(name, value)).toBe(false);
    expect(() => requireWithin(name, 'it', Number.NaN)).toThrow(
      `it must be ${rangeText(name)}, not NaN`,
    );
  });

  it('takes a duration as text by the same range as its milliseconds', () => {
    for (const name of names.filter((each) => 'duration' in LIMITS[each]) as DurationName[]) {
      const { min, max } = LIMITS[name];
      for (const ms of [min, max]) expect(durationWithin(name, formatDuration(ms))).toBe(ms);
      expect(durationWithin(name, formatDuration(max + 1))).toBeNull();
      expect(durationWithin(name, '5 minutes')).toBeNull();
      expect(() => requireDuration(name, 'it', 'soon')).toThrow(
        `it must be ${rangeText(name)}, not`,
      );
    }
  });
});
