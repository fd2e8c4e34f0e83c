#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
// The first file of every start. Plain JavaScript: what strips types stays out of memory where
// everything else comes from the compile cache, and an old Node.js gets an answer instead of a stack.
import module from 'node:module';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `error: signalbox needs Node.js 22.19 or newer, this is ${process.version}\n` +
      'hint:  install Node.js 24; in a clone, ./signalbox COMMAND fetches one and uses it\n',
  );
  process.exit(2);
}

// Before anything else is loaded: from the second start on, nothing is parsed again.
module.enableCompileCache();
await import('./start.ts');
