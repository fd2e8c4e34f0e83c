// Who may import whom. A zone is a folder; the longest matching path wins. This
// table is the drawing of the repository that the check turns into a fact.

export interface Zone {
  readonly path: string;
  /** Zones that may be imported, besides the zone itself. */
  readonly zones: readonly string[];
  readonly builtins: boolean;
  /** Packages from the registry; each must also be a dependency of the importing package. */
  readonly packages: readonly string[] | 'declared';
}

const pure = { builtins: false, packages: [] } as const;

const engine = 'packages/engine';
const store = 'packages/store';
const memory = 'packages/store/src/memory';
const sqlite = 'packages/store/src/sqlite';
const postgres = 'packages/store/src/postgres';
const damage = 'packages/store/src/damage';
const conformance = 'packages/store/src/conformance';
const node = 'packages/node';
const loop = 'packages/node/src/loop';
const timeZones = 'packages/node/src/zones';
const protocol = 'packages/protocol';
const worker = 'packages/worker';
const cli = 'packages/cli';
const graph = 'packages/graph';

export const zones: readonly Zone[] = [
  { path: engine, zones: [], ...pure },
  { path: store, zones: [engine, damage], ...pure },
  // Checksums of bytes are left to `node:zlib`.
  { path: damage, zones: [engine, store], builtins: true, packages: [] },
  { path: memory, zones: [engine, store, damage], ...pure },
  { path: sqlite, zones: [engine, store, damage], builtins: true, packages: [] },
  { path: postgres, zones: [engine, store, damage], builtins: true, packages: ['pg'] },
  {
    path: conformance,
    // The memory store is the oracle that the others are compared with.
    zones: [engine, store, memory, damage],
    builtins: true,
    packages: ['vitest', 'fast-check'],
  },
  { path: graph, zones: [], ...pure },
  { path: protocol, zones: [], builtins: false, packages: ['ipaddr.js', 'typebox'] },
  { path: loop, zones: [engine, store], ...pure },
  { path: timeZones, zones: [engine], ...pure },
  {
    path: node,
    zones: [engine, store, memory, sqlite, postgres, loop, timeZones, protocol],
    builtins: true,
    packages: 'declared',
  },
  { path: worker, zones: [protocol], builtins: true, packages: 'declared' },
  {
    path: 'packages/sdk',
    // The node is there for embedded mode, the command because `npm install signalbox` brings it.
    zones: [protocol, worker, node, loop, engine, store, memory, sqlite, postgres, cli],
    builtins: true,
    packages: 'declared',
  },
  {
    path: cli,
    zones: [protocol, worker, node, graph],
    builtins: true,
    packages: 'declared',
  },
  {
    path: 'sim',
    // Clients of the simulator ask through the operations of a node, as the API does.
    zones: [engine, store, memory, loop, timeZones, node, protocol],
    builtins: true,
    packages: [],
  },
];

/** Tests, benches and tools may import anything, and nothing of the product may import them. */
export function isFree(file: string): boolean {
  return (
    file.endsWith('.test.ts') ||
    file.includes('/testing/') ||
    /^(bench|test|tools|examples)\//.test(file) ||
    !file.includes('/')
  );
}

export function zoneOf(file: string): Zone | undefined {
  return zones
    .filter((zone) => file.startsWith(`${zone.path}/`))
    .sort((left, right) => right.path.length - left.path.length)[0];
}

const engineSource = 'packages/engine/src/';

/** The stages of the life of a task that the engine decides. They do not know each other. */
const stages: ReadonlySet<string> = new Set([
  'admit',
  'ready',
  'place',
  'dispatch',
  'run',
  'complete',
  'children',
  'triggers',
  'limits',
  'recover',
]);

/** What stages have in common: folders or files directly in the engine's source folder. */
const sharedByStages: ReadonlySet<string> = new Set([
  'cron',
  'model',
  'facts',
  'core',
  'commands',
  'effects',
  'words',
  'settings',
]);

/** The first name below the engine's source folder, without `.ts`; undefined outside of the engine. */
function engineRoom(file: string): string | undefined {
  if (!file.startsWith(engineSource)) return undefined;
  return file.slice(engineSource.length).split('/')[0]?.replace(/\.ts$/, '');
}

/** Why an import inside the engine is not allowed, or undefined. */
export function stageProblem(from: string, to: string): string | undefined {
  const fromRoom = engineRoom(from);
  const toRoom = engineRoom(to);
  if (fromRoom === undefined || toRoom === undefined || fromRoom === toRoom) return undefined;
  if (sharedByStages.has(toRoom)) return undefined;
  if (sharedByStages.has(fromRoom)) {
    return `${fromRoom} is shared by the stages and may not import ${toRoom}`;
  }
  if (!stages.has(fromRoom)) return undefined;
  const allowed = [...sharedByStages].join(' and ');
  return `stage ${fromRoom} may not import ${toRoom}: stages know only ${allowed}`;
}

/**
 * Rooms of a package (folders and files directly below `src`) from the lowest to the highest; a room imports
 * only rooms before it. Rooms that are not listed may be anywhere, as long as there is no cycle.
 */
export const roomOrder: Readonly<Record<string, readonly string[]>> = {
  'packages/protocol': ['ids', 'api', 'link', 'index'],
  'packages/worker': [
    'executor',
    'errors',
    'executors',
    'transport',
    'link',
    'worker-options',
    'attempt',
    'report',
    'attempt-runner',
    'worker',
    'index',
  ],
  'packages/sdk': ['work', 'job', 'pipeline', 'backend', 'http', 'direct', 'signalbox', 'index'],
  'packages/cli': [
    'print',
    'app',
    'data-folder',
    'client',
    'definitions',
    'graph',
    'processes',
    'dev',
    'commands',
    'program',
    'start',
  ],
};

/**
 * Pairs of rooms, `importing → imported`, that are still part of a cycle. The check fails on a pair that is
 * not needed any more, so this list only shrinks.
 */
export const roomExceptions: Readonly<Record<string, readonly string[]>> = {
  'packages/engine': ['model → facts'],
  'packages/store': ['contract → damage', 'taken-keys → damage'],
};
