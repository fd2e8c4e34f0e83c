import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { nodeProblem, REQUIRED_NODE } from '@signalbox/protocol/required-node';
import { describe, expect, it } from 'vitest';
import { listFiles, root } from '../../../tools/files.ts';
import { oldNodes } from '../../../tools/testing/old-nodes.ts';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const files = listFiles('packages').filter((file) => !file.includes('node_modules'));

describe('the Node.js that Signalbox needs', () => {
  it.each(['18.20.8', '20.20.2', '21.9.0', '22.18.9'])('is newer than %s', (version) => {
    expect(nodeProblem(version)).toBe(
      `signalbox needs Node.js 22.19 or newer, this is v${version}`,
    );
  });

  it.each(['22.19.0', '22.20.1', '23.0.0', '24.21.0', '25.0.0-nightly'])('may be %s', (version) => {
    expect(nodeProblem(version)).toBeNull();
  });

  it('is the one that every package asks for', () => {
    const manifests = files.filter((file) => /^packages\/[^/]+\/package\.json$/.test(file));
    expect(manifests.length).toBeGreaterThan(5);
    for (const file of manifests) {
      const { engines } = JSON.parse(read(file)) as { engines: { node: string } };
      expect([file, engines.node]).toEqual([file, `>=${REQUIRED_NODE}`]);
    }
  });

  it('is checked first by every entry, before a missing export can stop the modules from linking', () => {
    for (const entry of ['index.ts', 'testing/index.ts']) {
      expect(read(`packages/sdk/src/${entry}`)).toMatch(/^import '\.{1,2}\/require-node\.ts';/);
    }
    const sources = files.filter((file) => /\.m?ts$|\.mjs$/.test(file) && !file.includes('.test.'));
    const named = /import [^;]*\{[^}]*\bhash\b[^}]*\} from 'node:crypto'/;
    expect(sources.filter((file) => named.test(read(file)))).toEqual([]);
  });

  it('is named by the command on an old Node.js, where there is one', async () => {
    for (const { node, version } of await oldNodes()) {
      const main = join(root, 'packages/cli/src/main.mjs');
      const child = spawn(node, [main, 'version'], {
        env: {},
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
      expect([code, err]).toEqual([2, expect.stringContaining(`error: ${nodeProblem(version)}\n`)]);
    }
  });
});
