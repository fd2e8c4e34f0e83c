import { readFileSync } from 'node:fs';
import { RANGES } from '@signalbox/engine';
import type { TSchema } from 'typebox';
import { describe, expect, it } from 'vitest';
import * as protocol from './index.ts';
import {
  isWithin,
  LIMITS,
  type LimitName,
  type Range,
  rangeText,
  requireWithin,
} from './limits.ts';

const names = Object.keys(LIMITS) as LimitName[];

interface Node extends TSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly patternProperties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Every number of a schema, by the name of what it is in and its own: `timeouts.graceMs`. */
function numbersOf(schema: Node, within: string, own = ''): [string, Node][] {
  if (schema.type === 'integer' || schema.type === 'number') {
    return [[own === 'priority' ? own : `${within}.${own}`, schema]];
  }
  const inside = own === '' || own === 'tasks' ? within : own;
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
    }
  });

  it('is what the engine holds commands to', () => {
    for (const [name, range] of Object.entries(RANGES)) {
      expect([name, LIMITS[name as LimitName]]).toEqual([name, range]);
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

  it('fits into what the journal, the link and a date can hold', () => {
    for (const name of names) {
      const { min, max, fraction }: Range = LIMITS[name];
      expect(min).toBeLessThanOrEqual(max);
      if (fraction !== true) expect([min, max].every(Number.isSafeInteger)).toBe(true);
      if (/Ms(Max|Min)?$/.test(name)) {
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
      `it is ${rangeText(name)}, not NaN`,
    );
  });
});
