// Tries a worker of any language: `main.ts python3 my-worker.py`.
import { runConformance, startCommand } from './run-conformance.ts';

const [program, ...rest] = process.argv.slice(2);
if (program === undefined) {
  process.stderr.write('usage: main.ts <program> [argument…]\n');
  process.exit(2);
}
const verdicts = await runConformance(startCommand([program, ...rest]), (verdict) => {
  const sign = verdict.problem === null ? 'ok    ' : 'failed';
  process.stdout.write(`${sign} ${verdict.scenario}\n`);
  if (verdict.problem !== null) process.stdout.write(`       ${verdict.problem}\n`);
});
process.exit(verdicts.every((verdict) => verdict.problem === null) ? 0 : 1);
