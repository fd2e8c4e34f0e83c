import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { startNode } from '@signalbox/node';
import { pino } from 'pino';

/**
 * Lets schemathesis loose on a node: requests made up from the OpenAPI document, valid ones and
 * broken ones. No answer may be a 5xx, have another shape than is declared, or take what is broken.
 * Keys and methods are not its part: it runs into the limit for wrong keys, as it should, and
 * `api/access.test.ts` walks every route with every role.
 *
 *   node test/fuzz/schemathesis.ts [seconds] [seed]
 */
const [seconds = '120', seed = '1'] = process.argv.slice(2);
const folder = resolve('.cache/schemathesis');
const rootKey = 'Zk3vQ9xT7mB2wR8nL5cJ1hD6gF4sA0pE';
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
];

if (!existsSync(`${folder}/bin/st`)) {
  const run = promisify(execFile);
  await run('python3', ['-m', 'venv', folder]);
  await run(`${folder}/bin/pip`, ['install', '--quiet', 'schemathesis==4.32.5']);
}

const node = await startNode({
  store: 'memory:',
  http: { host: '127.0.0.1', port: 0 },
  rootKey,
  log: pino({ level: 'error' }, pino.destination(2)),
});
await node.ready();

const fuzz = spawn(
  `${folder}/bin/st`,
  [
    '--config-file',
    resolve(import.meta.dirname, 'schemathesis.toml'),
    'run',
    `${node.url}/api/v1/openapi.json`,
    '--header',
    `Authorization: Bearer ${rootKey}`,
    '--checks',
    CHECKS.join(),
    // Streams do not end by themselves.
    '--exclude-path-regex',
    '/events$',
    '--phases',
    'examples,coverage,fuzzing',
    '--max-time',
    seconds,
    '--seed',
    seed,
    '--request-timeout',
    '70',
    '--no-color',
  ],
  // It leaves notes for replays where it runs.
  { stdio: 'inherit', cwd: folder },
);
const code = await new Promise<number>((done) => fuzz.on('close', (exit) => done(exit ?? 1)));
await node.stop();
process.exit(code);
