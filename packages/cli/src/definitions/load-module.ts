import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { requireExact } from '../client/exact-numbers.ts';
import { UserError } from '../user-error.ts';
import { type Wanted, type Where, wantedOf } from './wanted.ts';

/** The folder of all packages: a stack names the SDK before the file that called it. */
const OURS = fileURLToPath(new URL('../../../', import.meta.url));

/** What a TypeScript or JavaScript module of the user's exports. */
export function loadModule(path: string): Readonly<Record<string, unknown>> {
  try {
    // `require` takes ES modules too, and, unlike a computed import, says at once what is wrong.
    return createRequire(path)(path) as Record<string, unknown>;
  } catch (error) {
    throw new UserError('usage', `cannot load ${path}: ${reason(error)}`);
  }
}

/** A job of the SDK, known by its shape: the user's copy of the SDK may be another than ours. */
export interface LoadedJob {
  readonly name: string;
  readonly definition: Readonly<Record<string, unknown>>;
  readonly handlers: ReadonlyMap<string, unknown>;
}

export function jobsOf(exports: Readonly<Record<string, unknown>>): LoadedJob[] {
  const found = new Set<LoadedJob>();
  for (const value of Object.values(exports)) {
    for (const each of Array.isArray(value) ? value : [value]) if (isJob(each)) found.add(each);
  }
  return [...found];
}

/** The definitions that it exports: jobs of the SDK, and what a file could say (`kind` and `name`). */
export function definitionsOf(exports: Readonly<Record<string, unknown>>, file: string): Wanted[] {
  const where: Where = () => file;
  const jobs = jobsOf(exports).map(({ name, definition }): Wanted => {
    // As it will be sent: what JSON cannot say, as an absent option, is not part of it.
    requireExact(definition, file, name);
    return { kind: 'Job', name, definition: JSON.parse(JSON.stringify(definition)), where };
  });
  const documents = Object.values(exports)
    .flat()
    .filter((value) => typeof value === 'object' && value !== null && 'kind' in value);
  for (const document of documents) requireExact(document, file);
  return [...jobs, ...documents.map((each) => wantedOf(JSON.parse(JSON.stringify(each)), where))];
}

function isJob(value: unknown): value is LoadedJob {
  if (typeof value !== 'object' || value === null) return false;
  const { name, definition, handlers } = value as Partial<LoadedJob>;
  return typeof name === 'string' && typeof definition === 'object' && handlers instanceof Map;
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? error.code : '';
  if (code === 'ERR_REQUIRE_ASYNC_MODULE')
    return 'a module of jobs must not use await outside of functions';
  if (code === 'MODULE_NOT_FOUND' || code === 'ENOENT') return firstLine(error.message);
  // Where in the user's files, which need not be the one that was named: the stack's head says it of what
  // cannot be parsed, the first call that is not ours of what was thrown.
  const where = /^(\S+:\d+)$/m.exec(error.stack ?? '')?.[1] ?? calledAt(error.stack ?? '');
  return `${firstLine(error.message)}${where === undefined ? '' : ` (${where})`}`;
}

function calledAt(stack: string): string | undefined {
  const calls = stack.matchAll(/^ {4}at (?:.*\()?(?:file:\/\/)?(\/.*:\d+):\d+\)?$/gm);
  const places = [...calls].map(([, place = '']) => place);
  return places.find((place) => !place.startsWith(OURS) && !place.includes('/node_modules/'));
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
