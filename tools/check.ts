// npm run check: everything that can be said about the sources without running them.
import { join } from 'node:path';
import { root } from './files.ts';
import { runNode } from './process.ts';

const bin = (path: string): string => join(root, 'node_modules', path);
const tool = (path: string): string => join(root, 'tools', path);

const tsc = [bin('typescript/bin/tsc'), '--noEmit', '-p'];

// Warnings are for `npm run format` to show: thirty of them bury the one error that fails a run.
const lint = ['check', '--diagnostic-level=error', '.'];

const parts: Readonly<Record<string, readonly string[]>> = {
  'format and lint': [bin('@biomejs/biome/bin/biome'), ...lint],
  types: [...tsc, '.'],
  'types of the engine alone': [...tsc, 'packages/engine'],
  'types of the graph alone': [...tsc, 'packages/graph'],
  boundaries: [tool('boundaries.ts')],
  tidy: [tool('tidy.ts')],
  promises: [tool('rows.ts'), '--if-fresh'],
};

async function runPart(name: string, command: readonly string[]): Promise<boolean> {
  const startedAt = performance.now();
  const { code, output } = await runNode(command);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)\n`);
  const isWorthReading = code !== 0 || output.includes('warning: ');
  if (isWorthReading) process.stdout.write(`${output.trimEnd()}\n`);
  return code === 0;
}

const results = await Promise.all(
  Object.entries(parts).map(([name, command]) => runPart(name, command)),
);
process.exitCode = results.every(Boolean) ? 0 : 1;
