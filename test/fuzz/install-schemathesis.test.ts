import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { installSchemathesis } from './install-schemathesis.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signalbox-fuzz-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('says that Python is absent', async () => {
  expect(await installSchemathesis(join(folder, 'venv'), 'no-such-python')).toBe(
    'no-such-python is not installed',
  );
});

it('leaves no half of an installation behind', async () => {
  // Prints a version and cannot do anything else.
  const python = join(folder, 'python');
  const script = '#!/bin/sh\n[ "$1" = --version ] || { echo "no network" >&2; exit 1; }\n';
  writeFileSync(python, script, { mode: 0o755 });
  const reason = await installSchemathesis(join(folder, 'venv'), python);
  expect(reason).toMatch(/^schemathesis \S+ cannot be installed: no network$/);
  expect(existsSync(join(folder, 'venv'))).toBe(false);
});
