// npm run pack -- --out FOLDER: a tarball of every package, as npm installs it.
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { pack } from './pack/pack.ts';

const { values } = parseArgs({ options: { out: { type: 'string' } } });
if (values.out === undefined) {
  process.stderr.write('usage: npm run pack -- --out FOLDER\n');
  process.exit(2);
}
for (const file of await pack({ out: values.out })) {
  process.stdout.write(`${relative('.', file)}\n`);
}
