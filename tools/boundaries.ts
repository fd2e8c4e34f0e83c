// Part of npm run check: the walls between packages, stages and the outside world.
import { checkBoundaries } from './boundaries/check.ts';
import { readSourceTree } from './boundaries/source-tree.ts';
import { reportProblems } from './problem.ts';

reportProblems(checkBoundaries(readSourceTree()));
