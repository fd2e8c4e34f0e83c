// npm run rows [-- --write] [--json]: which promises the tests show.
import { checkPromises } from './promises/check.ts';
import { reportIsFresh } from './promises/report.ts';
import { runTests } from './vitest.ts';

const args = new Set(process.argv.slice(2));
const asJson = args.has('--json');

if (!reportIsFresh()) {
  // The quick check compares with the last test run if it still counts, and does not start one.
  if (args.has('--if-fresh')) {
    process.stdout.write('warning: not compared, the sources changed since the last npm test\n');
    process.exit(0);
  }
  const { hasReport } = await runTests({ quiet: true });
  if (!hasReport) throw new Error('the tests did not run: see npm test');
}
const { rows, problems } = checkPromises({ write: args.has('--write') });
for (const problem of problems) process.stderr.write(`promises: ${problem}\n`);
if (asJson) process.stdout.write(`${JSON.stringify(rows)}\n`);
else {
  const shownCount = rows.claimed.length - rows.missing.length;
  process.stdout.write(`promises: ${rows.claimed.length} claimed, ${shownCount} shown\n`);
}
process.exitCode = problems.length > 0 ? 1 : 0;
