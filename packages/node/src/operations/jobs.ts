import { isDeepStrictEqual } from 'node:util';
import {
  type Checked,
  type Job,
  type JobDefinition,
  NAME_PATTERN,
  type Page,
} from '@signalbox/protocol';
import type { Definition } from '@signalbox/store';
import { ApiError, type Caller, type NodeContext } from '../context.ts';
import { checkDefinitionSchema } from './definition-schema.ts';
import { checkDefinition, fromStored, type StoredJob, toStored } from './job-definition.ts';
import { jobHeads } from './job-heads.ts';
import { operation } from './operation.ts';
import { noJob, shown } from './refusals.ts';

const NAME = new RegExp(NAME_PATTERN);
/** Writers of one job that keep overtaking each other; the last of them is told. */
const TRIES = 5;

export interface Expected {
  /** The version that the author saw (`If-Match`). */
  readonly version?: number;
  /** There must be none yet (`If-None-Match: *`). */
  readonly absent?: boolean;
}

export interface Defined {
  readonly job: Job;
  readonly outcome: 'created' | 'changed' | 'unchanged';
}

/** Defines a job or changes it; the same definition again keeps its version. */
export const defineJob = operation(
  async (
    context,
    caller,
    params: { name: string; definition: JobDefinition; expected?: Expected },
  ): Promise<Defined> => {
    const next = await definingNext(context, params);
    return change(context, caller, { name: params.name, ...params.expected, next });
  },
);

/** What defining the job would do, with every check, and nothing of it done. */
export const checkJob = operation(
  async (
    context,
    caller,
    params: { name: string; definition: JobDefinition },
  ): Promise<Checked<JobDefinition>> => {
    const { name } = params;
    const next = await definingNext(context, params);
    const current = await context.store.getDefinition({ tenant: caller.tenant, kind: 'job', name });
    const live = current === null || current.deleted ? null : bodyOf(current);
    const wanted = next(current) as StoredJob | null;
    const after = fromStored(wanted ?? (live as StoredJob));
    if (live === null) return { outcome: 'created', version: 0, after };
    const outcome = wanted === null ? 'unchanged' : 'changed';
    return { outcome, version: current?.version ?? 0, before: fromStored(live), after };
  },
);

async function definingNext(
  context: NodeContext,
  params: { name: string; definition: JobDefinition; expected?: Expected },
): Promise<Next> {
  const { name, definition } = params;
  if (!NAME.test(name)) {
    throw new ApiError('invalid', `${shown(name)} is no name for a job`, { field: 'name' });
  }
  await checkDefinitionSchema(definition);
  checkDefinition(definition, context.httpTargets ?? {});
  return (current) => {
    const live = current === null || current.deleted ? null : current;
    if (params.expected?.absent && live !== null) {
      throw new ApiError('precondition_failed', `the job ${shown(name)} is already defined`);
    }
    const was = live && bodyOf(live);
    const body = toStored(name, definition, was?.paused === true);
    return was !== null && isDeepStrictEqual(was, JSON.parse(JSON.stringify(body))) ? null : body;
  };
}

export const pauseJob = operation((context, caller, params: { name: string } & Expected) =>
  setPaused(context, caller, { ...params, paused: true }),
);

export const enableJob = operation((context, caller, params: { name: string } & Expected) =>
  setPaused(context, caller, { ...params, paused: false }),
);

async function setPaused(
  context: NodeContext,
  caller: Caller,
  params: { name: string; paused: boolean } & Expected,
): Promise<Job> {
  const { paused } = params;
  const next: Next = (current) => {
    if (current === null || current.deleted) throw noJob(params.name);
    const { paused: was, ...body } = bodyOf(current);
    if ((was === true) === paused) return null;
    return paused ? { ...body, paused: true } : body;
  };
  return (await change(context, caller, { ...params, next })).job;
}

/** Deletion is soft: history and live runs stay, new submissions find nothing. */
export const deleteJob = operation(
  async (context, caller, params: { name: string } & Expected): Promise<Job> => {
    const next: Next = (current) => {
      if (current === null || current.deleted) throw noJob(params.name);
      return 'delete';
    };
    return (await change(context, caller, { ...params, next })).job;
  },
);

export const restoreJob = operation(
  async (context, caller, params: { name: string } & Expected): Promise<Job> => {
    const next: Next = (current) => {
      if (current === null) throw noJob(params.name);
      return current.deleted ? 'restore' : null;
    };
    return (await change(context, caller, { ...params, next })).job;
  },
);

export const getJob = operation(
  async (context, caller, params: { name: string; version?: number }): Promise<Job> => {
    const { tenant } = caller;
    const { name, version } = params;
    if (!NAME.test(name)) throw noJob(name);
    const found = await context.store.getDefinition({
      tenant,
      kind: 'job',
      name,
      ...(version === undefined ? {} : { version }),
    });
    if (found === null) throw noJob(name);
    return jobOf(found);
  },
);

export const listJobs = operation(
  async (
    context,
    caller,
    params: { after?: string; limit?: number; deleted?: boolean },
  ): Promise<Page<Job>> => {
    const limit = params.limit ?? 100;
    const found = await context.store.listDefinitions({
      tenant: caller.tenant,
      kind: 'job',
      after: params.after ?? null,
      limit: limit + 1,
      includeDeleted: params.deleted ?? false,
    });
    const items = found.slice(0, limit).map(jobOf);
    const last = items.at(-1);
    return found.length > limit && last !== undefined ? { items, next: last.name } : { items };
  },
);

export const listJobVersions = operation(
  async (context, caller, params: { name: string }): Promise<Page<Job>> => {
    const { name } = params;
    if (!NAME.test(name)) throw noJob(name);
    const key = { tenant: caller.tenant, kind: 'job', name };
    const found = await context.store.listDefinitionVersions(key);
    if (found.length === 0) throw noJob(name);
    return { items: found.map(jobOf) };
  },
);

type Next = (current: Definition | null) => StoredJob | 'delete' | 'restore' | null;

/**
 * Reads, decides, writes under the version that was read. Whoever names no version and is overtaken
 * decides anew on what is there now; whoever names one is told (API-12).
 */
async function change(
  context: NodeContext,
  caller: Caller,
  params: { name: string; next: Next } & Expected,
): Promise<Defined> {
  const { store, loop } = context;
  const key = { tenant: caller.tenant, kind: 'job', name: params.name };
  if (!NAME.test(params.name)) throw noJob(params.name);
  for (let tries = 0; tries < TRIES; tries++) {
    const current = await store.getDefinition(key);
    requireVersion(params, current);
    const wanted = params.next(current);
    if (wanted === null) return { job: jobOf(current as Definition), outcome: 'unchanged' };
    const base = { ...key, expectedVersion: current?.version ?? 0, author: caller.key };
    const result =
      wanted === 'delete'
        ? await store.deleteDefinition(base)
        : wanted === 'restore'
          ? await store.restoreDefinition(base)
          : await store.putDefinition({ ...base, body: JSON.stringify(wanted) });
    if (result.kind === 'conflict') continue;
    jobHeads(loop).forget(caller.tenant, params.name);
    await loop.schedules.jobChanged(caller.tenant, params.name);
    const written = await store.getDefinition({ ...key, version: result.version });
    const created = current === null || (current.deleted && typeof wanted === 'object');
    return { job: jobOf(written as Definition), outcome: created ? 'created' : 'changed' };
  }
  throw new ApiError('conflict', `the job ${shown(params.name)} is being changed by others`);
}

function requireVersion(expected: Expected, current: Definition | null): void {
  if (expected.version === undefined) return;
  const version = current === null || current.deleted ? 0 : current.version;
  if (version === expected.version || current?.version === expected.version) return;
  const is = version === 0 ? 'there is none' : `it has version ${version}`;
  throw new ApiError('precondition_failed', `version ${expected.version} was expected, ${is}`);
}

function bodyOf(definition: Definition): StoredJob {
  return JSON.parse(definition.body) as StoredJob;
}

function jobOf(definition: Definition): Job {
  const stored = bodyOf(definition);
  return {
    name: definition.name,
    version: definition.version,
    state: definition.deleted ? 'deleted' : stored.paused === true ? 'paused' : 'enabled',
    definition: fromStored(stored),
    author: definition.author,
    at: new Date(definition.atMs).toISOString(),
  };
}
