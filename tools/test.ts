// npm test [-- vitest arguments]: every test, then the promises, then one line to count on.
import { checkPromises } from './promises/check.ts';
import { runTests } from './vitest.ts';

const { code, counts, isWhole, hasReport } = await runTests({ args: process.argv.slice(2) });
const problems: string[] = [];
if (isWhole && hasReport)
  problems.push(...checkPromises().problems.map((problem) => `promises: ${problem}`));
// On a developer's machine a test may be skipped for want of a server; nobody reads that in CI.
if (process.env['CI'] === 'true' && counts.skipped > 0) {
  problems.push(`${counts.skipped} skipped: in CI a skipped test is a failure`);
}
if (code !== 0 && counts.failed === 0) problems.push('an error outside of a test failed the run');

process.stdout.write('\n');
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(
  `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`,
);
process.exitCode = code !== 0 || counts.failed > 0 || problems.length > 0 ? 1 : 0;
