import type { Problem } from '../problem.ts';

export interface TextFile {
  readonly file: string;
  readonly text: string;
}

const linesToLookTwice = 300;
const linesMax = 500;

export const isText = (file: string): boolean =>
  /\.(ts|tsx|mjs|js|json|md|sql|ya?ml|css|html|sh)$|^\.|\/run$|LICENSE$/.test(file);

const isSource = (file: string): boolean => /\.(ts|tsx|mjs|css)$/.test(file);
const isTest = (file: string): boolean => file.endsWith('.test.ts');

// Written in two halves so that this file does not find itself.
const rules: readonly { pattern: RegExp; message: string }[] = [
  {
    pattern: new RegExp(`\\b(${'FIX'}ME|${'XX'}X|${'HA'}CK)\\b`),
    message: 'do it or write it down as an issue',
  },
  {
    pattern: new RegExp(`\\b(it|test|describe)\\.${'only'}\\(`),
    message: 'the other tests would not run',
  },
  {
    pattern: new RegExp(`(^|[\\s"'\`(=])/(${'ho'}me|${'Us'}ers|${'ro'}ot|${'wo'}rk)/`),
    message: 'a path of one machine',
  },
  {
    pattern: new RegExp(
      `"resolved": "${'ht'}tps?:|${'regis'}try\\.(npmjs|yarnpkg)\\.|^${'regis'}try=`,
    ),
    message: 'a download address: everyone has their own registry',
  },
];

export function tidyProblems({ file, text, root }: TextFile & { root: string }): Problem[] {
  const lines = text.split('\n');
  const found = lines.flatMap((content, index) => {
    const line = index + 1;
    const messages = rules
      .filter(({ pattern }) => pattern.test(content))
      .map((rule) => rule.message);
    if (content.includes(root)) messages.push('the path of this checkout');
    return messages.map((message) => ({ file, line, message }));
  });
  if (isLong(file, lines.length, linesMax)) {
    found.push({ file, line: linesMax, message: `${lines.length} lines: split it by concept` });
  }
  return found;
}

export function tidyWarnings({ file, text }: TextFile): Problem[] {
  const lineCount = text.split('\n').length;
  if (!isLong(file, lineCount, linesToLookTwice) || lineCount > linesMax) return [];
  return [{ file, line: linesToLookTwice, message: `${lineCount} lines: look twice` }];
}

function isLong(file: string, lineCount: number, max: number): boolean {
  return isSource(file) && !isTest(file) && lineCount > max;
}
