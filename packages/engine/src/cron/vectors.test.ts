import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../../tools/testing/processor-time.ts';
import type { DstGap, DstOverlap } from './cron.ts';
import { parseCron } from './parse.ts';
import { cronIn } from './testing/cron-in.ts';
import { nextWindow } from './windows.ts';

interface Occurrence {
  expr: string;
  tz: string;
  from: string;
  inclusive: boolean;
  expected: string[];
}

interface Refused {
  expr: string;
  fields: number;
  field: string;
}

/** Windows of a row; those of a minute-by-minute expression are counted. */
type Expected = string[] | { count: number; first: string; last: string };

interface GridRow {
  tz: string;
  what: string;
  expr: string;
  from: string;
  until: string;
  vixie: Expected;
  k8s: Expected;
  ocps: Expected;
}

interface Hostile {
  expr: string;
  expect: string;
  note: string;
}

function vectors<Row>(name: string): Row[] {
  const text = readFileSync(new URL(`./vectors/${name}.json`, import.meta.url), 'utf8');
  const { count, vectors: rows } = JSON.parse(text) as { count: number; vectors: Row[] };
  expect(rows).toHaveLength(count);
  return rows;
}

const isoOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
const sameInstant = (text: string) => new Date(Date.parse(text)).toISOString();

describe('vectors', () => {
  it('EXT-04 finds every window on which independent engines agree', () => {
    let never = 0;
    for (const row of vectors<Occurrence>('consensus-core')) {
      const title = `${row.expr} in ${row.tz} from ${row.from}`;
      if (row.expected.length === 0) {
        expect(parseCron(row.expr).kind, title).toBe('refused');
        never++;
        continue;
      }
      const cron = cronIn(row.expr, row.tz);
      let at: number | null = Date.parse(row.from) - (row.inclusive ? 1 : 0);
      for (const expected of row.expected) {
        at = nextWindow(cron, at);
        expect(isoOf(at), title).toBe(sameInstant(expected));
        if (at === null) break;
      }
    }
    // 31 April: the table has it as an expression without windows, here it is refused.
    expect(never).toBe(1);
  });

  const policies: Record<'vixie' | 'k8s' | 'ocps', { gap?: DstGap; overlap?: DstOverlap }> = {
    vixie: {},
    k8s: { gap: 'skip', overlap: 'both' },
    ocps: { gap: 'skip', overlap: 'first' },
  };

  it.each(Object.keys(policies) as (keyof typeof policies)[])(
    'EXT-04 U042 follows the policy of column %s over every clock change of the grid',
    (column) => {
      for (const row of vectors<GridRow>('dst-policy-grid')) {
        const cron = cronIn(row.expr, row.tz, policies[column]);
        const found: (string | null)[] = [];
        let at = nextWindow(cron, Date.parse(row.from));
        while (at !== null && at < Date.parse(row.until)) {
          found.push(isoOf(at));
          at = nextWindow(cron, at);
        }
        const title = `${row.expr} ${row.tz} ${row.what}`;
        const expected = row[column];
        if (Array.isArray(expected)) expect(found, title).toEqual(expected.map(sameInstant));
        else {
          const { count, first, last } = expected;
          expect([found.length, found[0], found.at(-1)], title).toEqual([
            count,
            sameInstant(first),
            sameInstant(last),
          ]);
        }
      }
    },
  );

  const FIELDS: Readonly<Record<string, string>> = {
    Seconds: 'second',
    Minutes: 'minute',
    Hours: 'hour',
    'Days of month': 'dayOfMonth',
    Months: 'month',
    'Days of week': 'dayOfWeek',
    'between 0 and 59': 'minute',
    '': 'expression',
  };

  it('TRG-06 refuses what is no expression, and names the field at fault', () => {
    for (const row of vectors<Refused>('cronos-invalid')) {
      const parsed = parseCron(row.expr);
      expect(parsed, row.expr).toMatchObject({
        kind: 'refused',
        refusal: { field: FIELDS[row.field] },
      });
    }
  });

  it('TRG-08 answers hostile expressions as listed, each within 50 ms', () => {
    for (const row of vectors<Hostile>('hostile-cron')) {
      expect(
        processorMs(() => parseCron(row.expr)),
        row.expr,
      ).toBeLessThan(50);
      const parsed = parseCron(row.expr);
      const expected = row.expect.startsWith('accept') ? 'parsed' : 'refused';
      expect(parsed.kind, `${row.expr} ${row.note}`).toBe(expected);
    }
  });
});
