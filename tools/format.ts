// npm run format: rewrites what the formatter and the safe lint fixes can.
import { join } from 'node:path';
import { root } from './files.ts';
import { runNodeInherit } from './process.ts';

const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
process.exitCode = await runNodeInherit([biome, 'check', '--write', ...process.argv.slice(2)]);
