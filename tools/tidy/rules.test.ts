import { describe, expect, it } from 'vitest';
import { tidyProblems, tidyWarnings } from './rules.ts';

const problems = (text: string, file = 'sim/x.ts'): string[] =>
  tidyProblems({ file, text, root: '/a/checkout' }).map((each) => `${each.line} ${each.message}`);

// Put together at run time, so that the check does not find its own test.
const joined = (...parts: string[]): string => parts.join('');

describe('tidy', () => {
  it.each([
    [`// ${joined('FIX', 'ME')} later`, 'write it down'],
    [joined('it.', 'only("x", f)'), 'the other tests'],
    [`see '${joined('/ho', 'me/ann/x')}'`, 'one machine'],
    ['cd /a/checkout/sim', 'this checkout'],
    [joined('"resolved": "ht', 'tps://example.org/x.tgz"'), 'download address'],
  ])('refuses %s', (text, message) => {
    expect(problems(`fine\n${text}`).join()).toContain(`2 `);
    expect(problems(`fine\n${text}`).join()).toContain(message);
  });

  it('leaves alone what only looks like it', () => {
    expect(problems("import './work/x.ts'; const home = 'sim/root/';")).toEqual([]);
  });

  it('warns of a long source and refuses a very long one, tests excepted', () => {
    const long = 'x;\n'.repeat(350);
    const veryLong = 'x;\n'.repeat(501);
    expect(tidyWarnings({ file: 'sim/x.ts', text: long })).toHaveLength(1);
    expect(problems(long)).toEqual([]);
    expect(problems(veryLong)).toHaveLength(1);
    expect(problems(veryLong, 'sim/x.test.ts')).toEqual([]);
  });

  it('warns of a function of more than 70 lines, also of a method and an arrow, tests excepted', () => {
    const body = (lines: number) => 'x();\n'.repeat(lines);
    const warnings = (text: string, file = 'sim/x.ts') =>
      tidyWarnings({ file, text }).map(({ line, message }) => `${line} ${message}`);
    expect(warnings(`\nfunction f() {\n${body(68)}}`)).toEqual([]);
    expect(warnings(`\nfunction f() {\n${body(69)}}`)).toEqual([
      '2 a function of 71 lines: look twice',
    ]);
    expect(warnings(`class A {\n  m() {\n${body(69)}}\n}`)).toHaveLength(1);
    expect(warnings(`const f = () => {\n${body(69)}};`)).toHaveLength(1);
    expect(warnings(`function f() {\n${body(69)}}`, 'sim/x.test.ts')).toEqual([]);
  });
});
