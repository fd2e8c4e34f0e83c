import { isDeepStrictEqual } from 'node:util';
import type { Checked, Job, JobDefinition, Page } from '@signalbox/protocol';
import { type Definition, definitionBytes, readOnePage } from '@signalbox/store';
import type { Caller, NodeContext } from '../../context/index.ts';
import { noJob } from '../../errors/refusals.ts';
import type { Expected } from '../common/expected.ts';
import { operation } from '../common/operation.ts';
import { paged } from '../common/paged.ts';
import { checkDefinitionSchema } from '../definitions/definition-schema.ts';
import {
  bodyOf,
  changeNamed,
  checkNamed,
  deleted,
  isReadable,
  type ListParams,
  listNamed,
  liveBody,
  type Named,
  type Next,
  pausedOrNot,
  readNamed,
  requireName,
} from '../definitions/named-definitions.ts';
import { secretWarnings } from '../secrets/secret-warnings.ts';
import { checkDefinition, fromStored, type StoredJob, toStored } from './job-definition.ts';
import { jobHeads } from './job-heads.ts';
import { saveSubscriptions } from './save-subscriptions.ts';

const KIND = 'job';

export interface Defined {
  readonly job: Job;
  readonly outcome: 'created' | 'changed' | 'unchanged';
}

/** Defines a job or changes it; the same definition again keeps its version. */
export const defineJob = operation(
  async (context, caller, params: DefineParams): Promise<Defined> => {
    const next = await definingNext(context, params);
    const warnings = await secretWarnings(context, caller, params.definition);
    await saveSubscriptions(context, caller, params);
    const { name, expected } = params;
    const { job, outcome } = await change(context, caller, { name, ...expected, next });
    return { job: warnings.length === 0 ? job : { ...job, warnings }, outcome };
  },
);

/** What defining the job would do, with every check, and nothing of it done. */
export const checkJob = operation(
  async (
    context,
    caller,
    params: { name: string; definition: JobDefinition },
  ): Promise<Checked<JobDefinition>> => {
    const next = await definingNext(context, params);
    const warnings = await secretWarnings(context, caller, params.definition);
    const { name } = params;
    const checked = await checkNamed(context, caller, { ...named(name), next, show: fromStored });
    return warnings.length === 0 ? checked : { ...checked, warnings };
  },
);

interface DefineParams {
  readonly name: string;
  readonly definition: JobDefinition;
  readonly expected?: Expected;
  /** The shape is known to be right, as that of a definition in our own sources: loading the schemas takes time. */
  readonly isShapeKnown?: true;
}

async function definingNext(context: NodeContext, params: DefineParams): Promise<Next<StoredJob>> {
  const { name, definition, expected } = params;
  requireName(named(name));
  if (params.isShapeKnown !== true) await checkDefinitionSchema(definition);
  checkDefinition(definition, context.httpTargets ?? {});
  return (current) => {
    const was = liveBody<StoredJob>(named(name), current, expected);
    const body = toStored(name, definition, was?.paused === true);
    return was !== null && isDeepStrictEqual(was, JSON.parse(JSON.stringify(body))) ? null : body;
  };
}

export const pauseJob = operation((context, caller, params: { name: string } & Expected) =>
  setPaused(context, caller, { ...params, paused: true }),
);

export const resumeJob = operation((context, caller, params: { name: string } & Expected) =>
  setPaused(context, caller, { ...params, paused: false }),
);

async function setPaused(
  context: NodeContext,
  caller: Caller,
  params: { name: string; paused: boolean } & Expected,
): Promise<Job> {
  const next = pausedOrNot<StoredJob>(named(params.name), params.paused);
  return (await change(context, caller, { ...params, next })).job;
}

/** Deletion is soft: history and live runs stay, new submissions find nothing. */
export const deleteJob = operation(
  async (context, caller, params: { name: string } & Expected): Promise<Job> =>
    (await change(context, caller, { ...params, next: deleted(named(params.name)) })).job,
);

export const restoreJob = operation(
  async (context, caller, params: { name: string } & Expected): Promise<Job> => {
    const next: Next<StoredJob> = (current) => {
      if (current === null) throw noJob(params.name);
      return current.deleted ? 'restore' : null;
    };
    return (await change(context, caller, { ...params, next })).job;
  },
);

export const getJob = operation(
  async (context, caller, params: { name: string; version?: number }): Promise<Job> =>
    jobOf(await readNamed(context, caller, { ...params, kind: KIND })),
);

export const listJobs = operation(
  paged(
    'jobs',
    (context, caller, params: ListParams): Promise<Page<Job>> =>
      listNamed(context, caller, { ...params, kind: KIND, show: jobOf }),
  ),
);

interface VersionsQuery {
  readonly name: string;
  readonly after?: string;
  readonly limit?: number;
}

export const listJobVersions = operation(
  paged('versions', async (context, caller, params: VersionsQuery): Promise<Page<Job>> => {
    const { tenant } = await readNamed(context, caller, named(params.name));
    const key = { tenant, ...named(params.name), after: Number(params.after ?? 0) };
    const { rows, last } = await readOnePage<Definition>({
      limit: params.limit ?? 100,
      bytesOf: definitionBytes,
      read: (limits) => context.store.listDefinitionVersions({ ...key, ...limits }),
    });
    return {
      items: rows.filter(isReadable).map(jobOf),
      ...(last === null ? {} : { next: String(last.version) }),
    };
  }),
);

function named(name: string): Named {
  return { kind: KIND, name };
}

/** Told to this node and to the owners of its schedules before it is answered. */
async function change(
  context: NodeContext,
  caller: Caller,
  params: { name: string; next: Next<StoredJob> } & Expected,
): Promise<Defined> {
  const { now, outcome } = await changeNamed(context, caller, { ...params, kind: KIND });
  if (outcome !== 'unchanged') {
    jobHeads(context.loop).forget(caller.tenant, params.name);
    await context.loop.schedules.jobChanged(caller.tenant, params.name);
  }
  return { job: jobOf(now), outcome };
}

function jobOf(definition: Definition): Job {
  const stored = bodyOf<StoredJob>(definition);
  return {
    name: definition.name,
    version: definition.version,
    state: definition.deleted ? 'deleted' : stored.paused === true ? 'paused' : 'active',
    definition: fromStored(stored),
    author: definition.author,
    at: new Date(definition.atMs).toISOString(),
  };
}
