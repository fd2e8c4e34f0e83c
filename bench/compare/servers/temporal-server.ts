import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { temporalServer, temporalSqlTool } from '../../peers/temporal/server-programs.ts';
import {
  TEMPORAL_SERVICES,
  type TemporalPlaces,
  temporalConfig,
  temporalDynamicConfig,
} from './temporal-config.ts';

/** Its tables keep ports in 16 bits with a sign, so that those a system hands out are too high. */
const PORT_MAX = 32_767;
const FIRST_PORT = 20_000;
const PORT_SPAN = 10_000;

export interface RunningTemporal {
  readonly address: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a whole server, all services in one process, on two databases with their tables. */
export async function startTemporal(databases: {
  storeUrl: string;
  visibilityUrl: string;
}): Promise<RunningTemporal> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-temporal-'));
  const dynamicConfigFile = join(folder, 'dynamic-config.yaml');
  const configFile = join(folder, 'config.yaml');
  const ports = await freePorts();
  const config = temporalConfig({ ...databases, ports, dynamicConfigFile });
  writeFileSync(dynamicConfigFile, JSON.stringify(temporalDynamicConfig()));
  writeFileSync(configFile, JSON.stringify(config));
  const args = ['--config-file', configFile, '--allow-no-auth', 'start'];
  const child = spawn(temporalServer, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  return {
    address: `127.0.0.1:${ports.frontend.rpc}`,
    pid: child.pid as number,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Makes the tables of one of the server's two databases. */
export function setUpTemporalSchema(url: string, schema: 'temporal' | 'visibility'): void {
  const { hostname, port, username, password, pathname } = new URL(url);
  const env = {
    ...process.env,
    SQL_PLUGIN: 'postgres12_pgx',
    SQL_HOST: hostname,
    SQL_PORT: port,
    SQL_USER: decodeURIComponent(username),
    SQL_PASSWORD: decodeURIComponent(password),
    SQL_DATABASE: pathname.slice(1),
  };
  const steps = [
    ['setup-schema', '--version', '0.0'],
    ['update-schema', '--schema-name', `postgresql/v12/${schema}`],
  ];
  for (const args of steps) {
    const { status, stderr } = spawnSync(temporalSqlTool, args, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`Temporal cannot prepare its database: ${stderr}`);
  }
}

async function freePorts(): Promise<TemporalPlaces['ports']> {
  const pairs: [string, { rpc: number; ring: number }][] = [];
  let next = FIRST_PORT + randomInt(PORT_SPAN);
  for (const name of TEMPORAL_SERVICES) {
    const rpc = await freePortFrom(next);
    const ring = await freePortFrom(rpc + 1);
    pairs.push([name, { rpc, ring }]);
    next = ring + 1;
  }
  return Object.fromEntries(pairs) as TemporalPlaces['ports'];
}

async function freePortFrom(first: number): Promise<number> {
  for (let port = first; port <= PORT_MAX; port++) {
    if (await isFree(port)) return port;
  }
  throw new Error(`no port is free from ${first} to ${PORT_MAX}`);
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
