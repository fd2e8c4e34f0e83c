import { cpus, totalmem } from 'node:os';
import { POSTGRES_SETTINGS } from './servers/comparison-postgres.ts';
import { REDIS_SETTINGS } from './servers/comparison-redis.ts';
import type { Servers } from './servers/servers.ts';
import type { System } from './systems/system.ts';

/** Where and under which settings was measured. */
export interface Environment {
  readonly date: string;
  readonly hardware: string;
  readonly node: string;
  readonly postgres: string;
  readonly settings: {
    readonly postgres: Readonly<Record<string, string>>;
    readonly redis: Readonly<Record<string, string>>;
  };
  readonly systems: readonly {
    readonly name: string;
    readonly version: string;
    readonly words: string;
    readonly tunings: System['tunings'];
  }[];
}

export async function describeEnvironment(
  systems: readonly System[],
  servers: Servers,
): Promise<Environment> {
  const postgres = await servers.postgres();
  return {
    date: new Date().toISOString().slice(0, 10),
    hardware: `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB`,
    node: process.version,
    postgres: await postgres.version(),
    settings: {
      postgres: { fsync: 'on', synchronous_commit: 'on', ...POSTGRES_SETTINGS },
      redis: REDIS_SETTINGS,
    },
    systems: systems.map((system) => ({
      name: system.name,
      version: system.version(),
      words: system.words,
      tunings: system.tunings,
    })),
  };
}
