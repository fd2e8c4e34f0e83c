import { spawn } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MEASUREMENTS, USUAL } from './measure.ts';
import { writeReport } from './report.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    'ten-million': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});

const names = values.only?.split(',') ?? [
  ...USUAL,
  ...(values['ten-million'] ? ['backlog-10m'] : []),
];
const unknown = names.find((name) => !(name in MEASUREMENTS));
if (unknown !== undefined) {
  process.stderr.write(
    `no measurement ${unknown}; there are ${Object.keys(MEASUREMENTS).join(', ')}\n`,
  );
  process.exit(2);
}

const figures: Record<string, number | string> = {
  date: new Date().toISOString().slice(0, 10),
  hardware: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB`,
  node: process.version,
};
for (const name of names) {
  if (!values.json) process.stdout.write(`${name} …\n`);
  const measured = await runAlone(name);
  Object.assign(figures, measured);
  if (values.json) continue;
  for (const [figure, value] of Object.entries(measured)) {
    process.stdout.write(`  ${figure.padEnd(40)} ${value}\n`);
  }
}
if (values.write) writeReport(figures);
if (values.json) process.stdout.write(`${JSON.stringify(figures)}\n`);

function runAlone(name: string): Promise<Record<string, number>> {
  const script = fileURLToPath(new URL('./measure.ts', import.meta.url));
  // Young objects live as long as a commit takes; in a small nursery they would all be copied.
  const flags = [
    '--expose-gc',
    '--max-semi-space-size=32',
    '--disable-warning=ExperimentalWarning',
  ];
  const child = spawn(process.execPath, [...flags, script, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => {
      if (code !== 0) reject(new Error(`${name} ended with ${code}`));
      else resolve(JSON.parse(output.trim().split('\n').at(-1) ?? '{}'));
    });
  });
}
