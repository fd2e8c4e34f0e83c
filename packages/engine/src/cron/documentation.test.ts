import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseCron } from './parse.ts';
import { parsedCron } from './testing/cron-in.ts';

const page = readFileSync(new URL('../../../../docs/cron.md', import.meta.url), 'utf8');
const spans = [...page.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? '');

describe('the page about cron expressions', () => {
  it('shows expressions that are taken, and refused ones where it says so', () => {
    const shown = new Set(spans.filter((span) => /^\S+( \S+){4,5}$/.test(span)));
    const refused = [...shown].filter((text) => parseCron(text).kind === 'refused');
    expect(shown.size).toBeGreaterThan(5);
    expect(refused).toEqual(['0 0 30 2 *']);
  });

  it('lists every shortcut with what it is', () => {
    const rows = [...page.matchAll(/^\| (`@.+`) \| `(.+)` \|$/gm)];
    const listed = rows.flatMap(([, names = '', fields = '']) =>
      names.split(', ').map((name) => [name.replaceAll('`', ''), fields] as const),
    );
    for (const [name, fields] of listed) {
      expect({ ...parsedCron(name), text: '' }, name).toEqual({ ...parsedCron(fields), text: '' });
    }
    const parsed = parseCron('@');
    const known = parsed.kind === 'refused' ? parsed.refusal.message.match(/@[a-z]+/g) : null;
    expect(new Set(listed.map(([name]) => name))).toEqual(new Set(known));
  });

  it.each([
    ['dayOfMonth', ['L', 'L-3', '15W', 'LW', '?']],
    ['dayOfWeek', ['5L', 'FRIL', 'FRI#2', '?']],
  ] as const)('shows forms of %s that are taken there and nowhere else', (field, forms) => {
    for (const form of forms) {
      expect(spans, form).toContain(form);
      const asDate = parseCron(`0 0 ${form} * *`).kind;
      const asWeekday = parseCron(`0 0 * * ${form}`).kind;
      expect(field === 'dayOfMonth' ? asDate : asWeekday, form).toBe('parsed');
      if (form === '?') continue;
      expect(field === 'dayOfMonth' ? asWeekday : asDate, form).toBe('refused');
    }
  });
});
