/**
 * F25 in full: one million hostile messages against the worker gateway while a good worker goes on
 * working. Run: node test/load/gateway-fuzz.ts [count] [seed]
 */
import { fuzzGateway } from '../../packages/node/src/gateway/testing/fuzz-gateway.ts';

const count = Number(process.argv[2] ?? 1_000_000);
const seed = Number(process.argv[3] ?? 1);
const unhandled: unknown[] = [];
process.on('unhandledRejection', (error) => unhandled.push(error));

const startedAt = performance.now();
const step = Math.max(1, Math.floor(count / 10));
const report = await fuzzGateway({
  count,
  seed,
  onProgress: (messages) => {
    if (messages % step < 200) process.stdout.write(`${messages} messages\n`);
  },
});
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
process.stdout.write(`${JSON.stringify({ ...report, unhandled, seed, seconds }, null, 2)}\n`);
const ok =
  report.fatal.length === 0 &&
  unhandled.length === 0 &&
  report.succeeded === report.submitted &&
  report.disturbed === 0 &&
  report.linesForged === 0;
process.stdout.write(ok ? 'nothing crashed, nothing lost\n' : 'FAILED\n');
process.exit(ok ? 0 : 1);
