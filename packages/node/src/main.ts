import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Engine, formatRunId, type JobDefinition, partitionOf } from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import { createSqliteStore } from '@signalbox/store/sqlite';
import { ExampleWorker } from './example-worker.ts';
import { CommitLoop, readRun } from './loop/index.ts';
import { realPorts } from './real-ports.ts';

/**
 * One process on one file: a scheduler with a worker in it. It runs an example job, shows how the
 * run went, and stays up; started again, it goes on where it stopped.
 */
const PARTITIONS = 16;
const TENANT = 'default';
const JOB = 'hello';
const HELLO: JobDefinition = { tasks: [{ name: 'greet', timeouts: { expectedMs: 1_000 } }] };

const folder = resolve(process.env['SIGNALBOX_DATA'] ?? '.signalbox');
const path = join(folder, 'signalbox.sqlite');
const store = await open();

const worker = new ExampleWorker('local-worker', {
  [JOB]: (input) => `hello, ${new TextDecoder().decode(input)}`,
});
const loop = new CommitLoop({
  engine: new Engine(),
  store,
  ports: realPorts({ release: (effects) => worker.receive(effects) }),
  settings: { partitions: PARTITIONS },
  node: { name: randomUUID(), address: '' },
  onFatal: (error) => {
    say(`stopped: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
});
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stopping) process.exit(1);
    stopping = true;
    void stop();
  });
}

await loop.start();
worker.attach(loop);
say(`Signalbox is up on ${path}`);

const definition = await store.getDefinition({ tenant: TENANT, kind: 'job', name: JOB });
if (definition === null) {
  const body = JSON.stringify(HELLO);
  const change = { tenant: TENANT, kind: 'job', name: JOB, expectedVersion: 0, body };
  await store.putDefinition({ ...change, author: 'signalbox' });
}
const spec = await loop.specs.newest(TENANT, JOB);
const partition = partitionOf(TENANT, JOB, PARTITIONS);
const isOwner = await ownedWithin(partition, 10_000);
if (!isOwner) say('another Signalbox on this file owns the example job; this one stands by');
if (spec !== null && isOwner) {
  const input = new TextEncoder().encode('world');
  const ended = worker.nextEnd();
  const answer = await loop.execute({ kind: 'submit', partition, spec, head: {}, input });
  if (answer.kind === 'accepted') {
    const id = { ms: answer.ms, partition: answer.partition, seq: answer.seq };
    say(`submitted ${JOB}: run ${formatRunId(id)}`);
    await ended;
    const view = await readRun({ loop, store, tenant: TENANT, id });
    if (view !== null && view !== 'not_owner') {
      const output = view.output === null ? '' : new TextDecoder().decode(view.output);
      say(`${view.state}: ${output}`);
    }
  }
}
const runs = await store.listRuns({ tenant: TENANT, before: null, limit: 100 });
const count = runs.length < 100 ? `${runs.length}` : 'at least 100';
say(`${count} run(s) in the journal; Ctrl-C stops, and the next start goes on from here`);

/** A folder or a file that cannot be used is the user's to mend: one line, no stack. */
async function open(): Promise<Store> {
  try {
    mkdirSync(folder, { recursive: true });
    const opened = await createSqliteStore({ path });
    await opened.migrate();
    return opened;
  } catch (error) {
    say(`cannot use ${path}: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}

/** A node that was killed keeps its leases until they run out; a live one keeps them for good. */
async function ownedWithin(partition: number, ms: number): Promise<boolean> {
  for (let waited = 0; waited < ms; waited += 50) {
    if (loop.owns(partition)) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

async function stop(): Promise<void> {
  worker.stop();
  await loop.stop();
  await store.close();
  say('stopped');
  process.exit(0);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
