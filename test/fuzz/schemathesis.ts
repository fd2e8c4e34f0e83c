// npm run schemathesis: requests that schemathesis generates from the OpenAPI document, valid and invalid, sent
// to a node on loopback. Fails on a 5xx, a response that the document does not declare, and an accepted invalid
// request. Roles and methods are not its subject: the tests of `packages/node/src/api` call every route with
// every role, and the limit for wrong keys would end the run.
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startNode } from '@signalbox/node';
import { pino } from 'pino';
import { installSchemathesis } from './install-schemathesis.ts';

const USAGE = `npm run schemathesis -- [options]
  --examples N   test cases for each operation and phase, at most (20)
  --seed S       repeats a run (1)
  --store URL    the store of the node (memory:)
  --only REGEX   only operations with a matching path`;

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
];
const ROOT_KEY = 'Zk3vQ9xT7mB2wR8nL5cJ1hD6gF4sA0pE';
const folder = resolve(import.meta.dirname, '../../.cache/schemathesis');

interface Options {
  readonly examples: string;
  readonly seed: string;
  readonly store: string;
  readonly only: string | undefined;
}

async function fuzz({ examples, seed, store, only }: Options): Promise<number> {
  const node = await startNode({
    store,
    http: { host: '127.0.0.1', port: 0 },
    rootKey: ROOT_KEY,
    log: pino({ level: 'error' }, pino.destination(2)),
  });
  await node.ready();
  const args = [
    ...['--config-file', resolve(import.meta.dirname, 'schemathesis.toml')],
    ...['run', `${node.url}/api/v1/openapi.json`],
    ...['--header', `Authorization: Bearer ${ROOT_KEY}`],
    ...['--checks', CHECKS.join()],
    // Streams do not end by themselves.
    ...['--exclude-operation-id', 'watchEvents', '--exclude-operation-id', 'watchRun'],
    ...(only === undefined ? [] : ['--include-path-regex', only]),
    ...['--phases', 'examples,coverage,fuzzing,stateful'],
    ...['--max-examples', examples, '--seed', seed],
    ...['--request-timeout', '70', '--no-color'],
  ];
  // It writes its example database to the current folder.
  const child = spawn(`${folder}/bin/st`, args, { stdio: 'inherit', cwd: folder });
  const code = await new Promise<number>((done) => child.on('close', (exit) => done(exit ?? 1)));
  await node.stop();
  return code;
}

const { values } = parseArgs({
  options: {
    examples: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    store: { type: 'string', default: 'memory:' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(`${USAGE}\n`);
} else {
  const reason = await installSchemathesis(folder, 'python3');
  if (reason === null) process.exit(await fuzz({ ...values, only: values.only }));
  process.stderr.write(`schemathesis: not run, because ${reason}\n`);
  process.exitCode = 1;
}
