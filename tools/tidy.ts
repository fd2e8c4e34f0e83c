// Part of npm run check: what a linter does not know about this repository.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles, root } from './files.ts';
import { formatProblem, reportProblems } from './problem.ts';
import { isText, tidyProblems, tidyWarnings } from './tidy/rules.ts';

const hidden = ['.npmrc', '.gitignore'];
const files = [...listFiles(''), ...hidden].filter(isText);
const texts = files.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

for (const warning of texts.flatMap(tidyWarnings)) {
  process.stdout.write(`warning: ${formatProblem(warning)}\n`);
}
reportProblems(texts.flatMap((each) => tidyProblems({ ...each, root })));
