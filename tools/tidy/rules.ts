import { lineAt, walk } from '../boundaries/syntax.ts';
import type { Problem } from '../problem.ts';

export interface TextFile {
  readonly file: string;
  readonly text: string;
}

const linesToLookTwice = 300;
const linesMax = 500;
const functionLinesMax = 70;

export const isText = (file: string): boolean =>
  /\.(ts|tsx|mjs|js|json|md|sql|ya?ml|css|html|sh)$|^\.|\/run$|LICENSE$/.test(file);

const isSource = (file: string): boolean => /\.(ts|tsx|mjs|css)$/.test(file);
/** A conformance suite is one long function of tests. */
const isTest = (file: string): boolean => /(\.test|-suite)\.ts$/.test(file);

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
  const found = longFunctions({ file, text });
  if (isLong(file, lineCount, linesToLookTwice) && lineCount <= linesMax) {
    found.push({ file, line: linesToLookTwice, message: `${lineCount} lines: look twice` });
  }
  return found;
}

function longFunctions({ file, text }: TextFile): Problem[] {
  const found: Problem[] = [];
  const isShort = text.split('\n').length <= functionLinesMax;
  if (isShort || !/\.(ts|mjs)$/.test(file) || isTest(file)) return found;
  walk(file, text, ({ node }) => {
    if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type))
      return;
    const lineCount = text.slice(node.start, node.end).split('\n').length;
    if (lineCount <= functionLinesMax) return;
    const line = lineAt(text, node.start);
    found.push({ file, line, message: `a function of ${lineCount} lines: look twice` });
  });
  return found;
}

function isLong(file: string, lineCount: number, max: number): boolean {
  return isSource(file) && !isTest(file) && lineCount > max;
}
