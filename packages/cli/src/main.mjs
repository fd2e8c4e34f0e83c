#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
// The first file of every start. Plain JavaScript: what strips types stays out of memory where
// everything else comes from the compile cache, and an old Node.js gets an answer instead of a stack.
import module from 'node:module';
import { nodeProblem } from '@signalbox/protocol/required-node';

const problem = nodeProblem(process.versions.node);
if (problem !== null) {
  process.stderr.write(
    `error: ${problem}\n` +
      'hint:  install Node.js 24; in a clone, ./signalbox COMMAND fetches one and uses it\n',
  );
  process.exit(2);
}

// Before anything else is loaded: from the second start on, nothing is parsed again.
module.enableCompileCache();
await import('./start.ts');
