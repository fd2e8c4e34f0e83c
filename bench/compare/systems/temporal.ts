import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Database } from '../../../tools/postgres/database.ts';
import { buildGoModule, goProgram } from '../../peers/go-programs.ts';
import {
  TEMPORAL_SERVER_VERSION,
  temporalServer,
  temporalSqlTool,
} from '../../peers/temporal/server-programs.ts';
import type { Role } from '../part-protocol.ts';
import type { ComparisonPostgres } from '../servers/comparison-postgres.ts';
import { setUpTemporalSchema, startTemporal } from '../servers/temporal-server.ts';
import { queryNumber } from './query.ts';
import type { Load, System, Tuning } from './system.ts';

const MODULE = 'temporal';

const tuned = (load: Load): Tuning => ({
  config: { concurrency: 200, pollers: 8, batchLanes: 16 },
  load,
});

/** A workflow that waits for its turn gains nothing: enough to keep the worker busy. */
const ones: Load = { batch: 1, inflight: 16, cap: 64 };

export const temporal: System = {
  name: 'temporal',
  store: 'postgres',
  isPeer: true,
  words:
    'a workflow of one activity for each task, with a history of its own; all services in one process, 4 shards, no limit of requests, worker in Go',
  // Not in the shape of latency: tasks come faster there than two cores of it can take.
  tunings: { single: tuned(ones), idle: tuned({ ...ones, batch: 16 }) },
  version: () => TEMPORAL_SERVER_VERSION,
  missing: () => {
    if ([temporalServer, temporalSqlTool].every((program) => existsSync(program))) {
      return buildGoModule(MODULE);
    }
    return 'its server is built by node bench/peers/temporal/build-server.ts, in some ten minutes';
  },
  provide: async ({ config }, servers) => {
    const postgres = await servers.postgres();
    const store = await database(postgres, 'temporal');
    const visibility = await database(postgres, 'visibility');
    const server = await startTemporal({ storeUrl: store.url, visibilityUrl: visibility.url });
    const stop = servers.cleanup.add(() => server.stop());
    const partConfig = JSON.stringify({ ...config, address: server.address });
    register(partConfig);
    const command = (role: Role): readonly string[] => [goProgram(MODULE), role, partConfig];
    const left = (): Promise<number> =>
      queryNumber(
        store.url,
        `select count(*) from current_executions where workflow_id like 'bench-%' and status = 1`,
      );
    return {
      commands: { kind: 'apart', producer: command('producer'), worker: command('worker') },
      processes: { server: server.pid, postgres: postgres.pid },
      databaseUrl: store.url,
      left,
      leftDurably: left,
      close: async () => {
        await stop();
        await store.drop();
        await visibility.drop();
      },
    };
  },
};

async function database(
  postgres: ComparisonPostgres,
  schema: 'temporal' | 'visibility',
): Promise<Database> {
  const made = await postgres.database(`temporal ${schema}`, async (url) =>
    setUpTemporalSchema(url, schema),
  );
  // The version of the tables is filed under the name of their database, which is now a copy's.
  await queryNumber(made.url, 'update schema_version set db_name = current_database()');
  return made;
}

function register(partConfig: string): void {
  const { status, stderr } = spawnSync(goProgram(MODULE), ['register', partConfig], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Temporal does not take workflows: ${stderr}`);
}
