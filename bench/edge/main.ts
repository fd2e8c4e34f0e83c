// npm run bench:edge: what a user of the command, the API and a worker of their own sees.
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { measureApi } from './api.ts';
import { measureEvents } from './events.ts';
import { measureLatency } from './latency.ts';
import { writeReport } from './report.ts';
import { measureRunView } from './run-view.ts';
import { measureStart } from './start.ts';
import { measureWatchers } from './watchers.ts';

const MEASUREMENTS: Readonly<Record<string, () => Promise<Record<string, number>>>> = {
  start: measureStart,
  'latency-sqlite': () => measureLatency('sqlite'),
  'latency-postgres': () => measureLatency('postgres'),
  api: measureApi,
  'run-view': measureRunView,
  events: measureEvents,
  watchers: measureWatchers,
};

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const names = values.only?.split(',') ?? Object.keys(MEASUREMENTS);
const figures: Record<string, number | string> = {
  date: new Date().toISOString().slice(0, 10),
  hardware: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB`,
  node: process.version,
};
for (const name of names) {
  const measure = MEASUREMENTS[name];
  if (measure === undefined) {
    process.stderr.write(`no measurement ${name}; there are ${Object.keys(MEASUREMENTS)}\n`);
    process.exit(2);
  }
  const measured = await measure();
  Object.assign(figures, measured);
  if (values.json) continue;
  process.stdout.write(`${name}\n`);
  for (const [figure, value] of Object.entries(measured)) {
    process.stdout.write(`  ${figure.padEnd(30)} ${value}\n`);
  }
}
if (values.write) writeReport(figures);
if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);
process.exit(0);
