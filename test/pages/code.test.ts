import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BLOCKS, ROOT } from './blocks.ts';

/** By language, what keeps its samples true. A sample in another language has nobody yet. */
const KEPT_BY: Readonly<Record<string, string>> = {
  ts: 'the test below, or test/install for the pages of packages',
  js: 'packages/worker/src/conformance/documented-worker.test.ts',
  sh: 'test/pages/shell.test.ts',
  yaml: 'test/pages/samples.test.ts, or the test below',
  json: 'test/pages/samples.test.ts',
  http: 'test/pages/samples.test.ts',
  ini: 'packages/cli/src/deploy-page.test.ts, the commands and settings in it',
  dockerfile: 'packages/cli/src/deploy-page.test.ts, the commands and settings in it',
  sql: 'nothing: statements for a server that is not ours',
  mermaid: 'packages/engine/src/model/states.test.ts',
  '': 'nothing: pictures and what a program prints',
};

/** Whether the lines stand there one behind the other, however far they are indented. */
function holds(source: string, lines: string): boolean {
  const trimmed = (text: string) =>
    text
      .split('\n')
      .map((line) => line.trim())
      .join('\n');
  return `\n${trimmed(source)}\n`.includes(`\n${trimmed(lines.trimEnd())}\n`);
}

/** Programs that `test/install` writes to files under these names, compiles and runs. */
const isInstalled = (page: string) => page === 'README.md' || page === 'packages/sdk/README.md';

const code = BLOCKS.filter(
  ({ page, language, file }) =>
    !isInstalled(page) && (language === 'ts' || (language === 'yaml' && file !== '')),
);

describe('code samples of the pages', () => {
  it('are in languages that a test keeps true', () => {
    const odd = BLOCKS.filter(({ language }) => KEPT_BY[language] === undefined);
    expect(odd).toEqual([]);
    expect(code.length).toBeGreaterThan(20);
  });

  it.each(code)('$page line $line stands in $file, which is compiled and run', ({ file, text }) => {
    expect(file).toMatch(/^examples\/.*\.(ts|yaml)$/);
    const source = readFileSync(join(ROOT, file), 'utf8');
    expect(holds(source, text), text).toBe(true);
  });

  it('of the pages of packages have a file each', () => {
    const named = BLOCKS.filter(({ page, language }) => isInstalled(page) && language === 'ts');
    expect(named.filter(({ file }) => !/^[\w-]+\.ts$/.test(file))).toEqual([]);
  });
});
