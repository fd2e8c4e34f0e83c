import { fileURLToPath } from 'node:url';
import type { Role } from '../part-protocol.ts';

/** The command line of a part that is a TypeScript program of parts/. */
export function partCommand(name: string, role: Role, config: object): readonly string[] {
  const file = fileURLToPath(new URL(`../parts/${name}.ts`, import.meta.url));
  const flags = ['--disable-warning=ExperimentalWarning'];
  return [process.execPath, ...flags, file, role, JSON.stringify(config)];
}

export function apart(name: string, config: object) {
  return {
    kind: 'apart',
    producer: partCommand(name, 'producer', config),
    worker: partCommand(name, 'worker', config),
  } as const;
}
