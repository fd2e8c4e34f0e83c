import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { playScenario, SCENARIOS, startCommand } from './run-conformance.ts';

const page = readFileSync(new URL('../../../../docs/worker-protocol.md', import.meta.url), 'utf8');
const source = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-worker-'));
const program = path.join(folder, 'worker.mjs');
writeFileSync(program, source);
afterAll(() => rmSync(folder, { recursive: true }));

describe('the worker of docs/worker-protocol.md', () => {
  it.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
    '%s',
    async (_, scenario) => {
      expect(await playScenario(scenario, startCommand([process.execPath, program]))).toBeNull();
    },
  );
});
