import { isDeepStrictEqual } from 'node:util';
import { type Checked, NAME_PATTERN, type Page } from '@signalbox/protocol';
import {
  type Definition,
  definitionBytes,
  readCurrentDefinition,
  readOnePage,
} from '@signalbox/store';
import { ApiError, type Caller, type NodeContext } from '../../context/index.ts';
import { shown } from '../../errors/refusals.ts';
import type { Expected } from '../common/expected.ts';
import { hasQuota, requireRoom, withinQuota } from './definition-quota.ts';

/** Kinds of named definitions; every change is stored as a version. */
export type Kind = 'job' | 'schedule' | 'trigger' | 'calendar' | 'hearing' | 'secret';

const NAME = new RegExp(NAME_PATTERN);
/** Tries of a change that other writers overtake, before it is refused. */
const TRIES = 5;

export interface Named {
  readonly kind: Kind;
  readonly name: string;
}

/** The same text for a missing definition and one of another tenant. */
export function noneNamed({ kind, name }: Named): ApiError {
  return new ApiError('not_found', `there is no ${kind} ${shown(name)}`);
}

export function requireName({ kind, name }: Named): void {
  if (NAME.test(name)) return;
  throw new ApiError('invalid', `${shown(name)} is not a valid name for a ${kind}`, {
    field: 'name',
  });
}

/** The newest version or the given one, also of a deleted one. */
export async function readNamed(
  { store }: NodeContext,
  { tenant }: Caller,
  params: Named & { version?: number },
): Promise<Definition> {
  const found = NAME.test(params.name) ? await store.getDefinition({ tenant, ...params }) : null;
  if (found === null) throw noneNamed(params);
  return found;
}

export interface ListParams {
  readonly after?: string;
  readonly limit?: number;
  readonly deleted?: boolean;
}

export async function listNamed<Shown extends { readonly name: string }>(
  { store }: NodeContext,
  { tenant }: Caller,
  params: ListParams & { kind: Kind; show: (definition: Definition) => Shown },
): Promise<Page<Shown>> {
  const { kind, after = null, limit = 100, deleted: includeDeleted = false } = params;
  const { rows, last } = await readOnePage<Definition>({
    limit,
    bytesOf: definitionBytes,
    read: (limits) => store.listDefinitions({ tenant, kind, after, includeDeleted, ...limits }),
  });
  const items = rows.filter(isReadable).map(params.show);
  return { items, ...(last === null ? {} : { next: last.name }) };
}

/** Lists omit damaged definitions; reading one by name returns the reason. */
export function isReadable({ damaged }: Definition): boolean {
  return damaged !== true;
}

/** The next state of a definition: a new body, deletion, restoration, or null for no change. */
export type Next<Body extends object> = (
  current: Definition | null,
) => Body | 'delete' | 'restore' | null;

/** Kinds that the command line changes with `update`. */
const UPDATED: ReadonlySet<Kind> = new Set(['schedule', 'trigger']);

/** The body of a live definition before a change; null if it does not exist or is deleted. */
export function liveBody<Body>(
  { kind, name }: Named,
  current: Definition | null,
  expected: Expected = {},
): Body | null {
  if (current === null || current.deleted) return null;
  if (expected.absent || expected.isNew) {
    const command = UPDATED.has(kind) ? ` or "signalbox ${kind}s update ${name}"` : '';
    throw new ApiError(
      expected.absent ? 'precondition_failed' : 'conflict',
      `a ${kind} named ${shown(name)} already exists; change it with PUT /${kind}s/${name}${command}`,
    );
  }
  return bodyOf(current);
}

/** The next body, or null if the stored one equals it. */
export function unlessEqual<Body extends object>(was: Body | null, body: Body): Body | null {
  const isEqual = was !== null && isDeepStrictEqual(was, JSON.parse(JSON.stringify(body)));
  return isEqual ? null : body;
}

export function bodyOf<Body>(definition: Definition): Body {
  return JSON.parse(definition.body) as Body;
}

export interface Changed {
  readonly before: Definition | null;
  readonly now: Definition;
  readonly outcome: 'created' | 'changed' | 'unchanged';
}

/**
 * Reads, decides, and writes under the version that was read. A change without an expected version that another
 * writer overtakes is decided again; one with an expected version is refused (API-12).
 */
export async function changeNamed<Body extends object>(
  { store }: NodeContext,
  caller: Caller,
  params: Named & Expected & { next: Next<Body> },
): Promise<Changed> {
  const { kind, name } = params;
  const key = { tenant: caller.tenant, kind, name };
  if (!NAME.test(name)) throw noneNamed(params);
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await readCurrentDefinition(store, key);
    requireVersion(params, before);
    const wanted = params.next(before);
    if (wanted === null) return { before, now: before as Definition, outcome: 'unchanged' };
    if (typeof wanted === 'object') requireLive(params, before);
    const seen = { ...key, expectedVersion: before?.version ?? 0, author: caller.key };
    const write = (countMax?: number) => {
      const base = { ...seen, ...(countMax === undefined ? {} : { countMax }) };
      if (wanted === 'delete') return store.deleteDefinition(base);
      if (wanted === 'restore') return store.restoreDefinition(base);
      return store.putDefinition({ ...base, body: JSON.stringify(wanted) });
    };
    const isFurther = wanted !== 'delete' && (before === null || before.deleted);
    const result =
      isFurther && hasQuota(kind)
        ? await withinQuota(store, { tenant: caller.tenant, kind }, write)
        : await write();
    if (result.kind !== 'written') continue;
    const now = (await store.getDefinition({ ...key, version: result.version })) as Definition;
    const isNew = before === null || (before.deleted && typeof wanted === 'object');
    return { before, now, outcome: isNew ? 'created' : 'changed' };
  }
  throw new ApiError('conflict', `other requests are changing the ${kind} ${shown(name)}; retry`);
}

/** Validates a change and returns its effect; stores nothing. */
export async function checkNamed<Body extends object, Shown>(
  { store }: NodeContext,
  { tenant }: Caller,
  params: Named & { next: Next<Body>; show: (body: Body) => Shown },
): Promise<Checked<Shown>> {
  const { kind, name, show } = params;
  const current = await readCurrentDefinition(store, { tenant, kind, name });
  const live = liveBody<Body>(params, current);
  const wanted = params.next(current) as Body | null;
  const after = show(wanted ?? (live as Body));
  if (current === null || live === null) {
    if (hasQuota(kind)) await requireRoom(store, { tenant, kind });
    return { outcome: 'created', version: 0, after };
  }
  const outcome = wanted === null ? 'unchanged' : 'changed';
  return { outcome, version: current.version, before: show(live), after };
}

function requireVersion(expected: Expected, current: Definition | null): void {
  if (expected.present === true && (current === null || current.deleted)) {
    throw new ApiError(
      'precondition_failed',
      'If-Match expects an existing definition, and there is none',
    );
  }
  if (expected.version === undefined || current?.version === expected.version) return;
  const version = current === null || current.deleted ? 0 : current.version;
  if (version === expected.version) return;
  const is = version === 0 ? 'there is no definition' : `the current version is ${version}`;
  throw new ApiError('precondition_failed', `version ${expected.version} was expected, but ${is}`);
}

/**
 * The version of a deleted definition is not one to build on: its author saw it, or a live one, and did not mean
 * to create it. Restoring names that version.
 */
function requireLive({ kind, name, version }: Named & Expected, current: Definition | null): void {
  if (version === undefined || version === 0 || current === null || !current.deleted) return;
  throw new ApiError(
    'precondition_failed',
    `version ${version} was expected, but the ${kind} ${shown(name)} is deleted; omit If-Match to create it`,
  );
}

/** Pauses or resumes a definition; null if it is in that state already. */
export function pausedOrNot<Body extends { readonly paused?: boolean }>(
  named: Named,
  paused: boolean,
): Next<Body> {
  return (current) => {
    if (current === null || current.deleted) throw noneNamed(named);
    const { paused: was, ...body } = bodyOf<Body>(current);
    if ((was === true) === paused) return null;
    return (paused ? { ...body, paused: true } : body) as Body;
  };
}

export function deleted(named: Named): Next<never> {
  return (current) => {
    if (current === null || current.deleted) throw noneNamed(named);
    return 'delete';
  };
}
