import type { Job, JobDefinition, Page } from '@signalbox/protocol';
import { type Definition, definitionBytes, readOnePage } from '@signalbox/store';
import { noJob } from '../../errors/refusals.ts';
import type { Expected } from '../common/expected.ts';
import { operation } from '../common/operation.ts';
import { paged } from '../common/paged.ts';
import { definedKind, type Prepared, type Saved } from '../definitions/defined-kind.ts';
import { checkDefinitionSchema } from '../definitions/definition-schema.ts';
import {
  bodyOf,
  isReadable,
  liveBody,
  readNamed,
  unlessEqual,
} from '../definitions/named-definitions.ts';
import { secretWarnings } from '../secrets/secret-warnings.ts';
import { checkDefinition, fromStored, type StoredJob, toStored } from './job-definition.ts';
import { jobHeads } from './job-heads.ts';
import { saveSubscriptions } from './save-subscriptions.ts';

export type Defined = Saved<'job', Job>;

interface DefineParams {
  readonly name: string;
  readonly definition: JobDefinition;
  readonly expected?: Expected;
  /** The shape is known to be valid, as in a definition of our own sources: loading the schemas takes time. */
  readonly isShapeKnown?: true;
}

const jobs = definedKind({
  kind: 'job',
  show: (_context, definition) => jobOf(definition),
  fromStored,
  prepare: async (
    context,
    caller,
    request: DefineParams,
  ): Promise<Prepared<StoredJob, Defined>> => {
    const { name, definition, expected } = request;
    if (request.isShapeKnown !== true) await checkDefinitionSchema(definition);
    checkDefinition(definition, context.httpTargets ?? {});
    const warnings = await secretWarnings(context, caller, definition);
    return {
      warnings,
      next: (current) => {
        const was = liveBody<StoredJob>({ kind: 'job', name }, current, expected);
        return unlessEqual(was, toStored(name, definition, was?.paused === true));
      },
      beforeSave: () => saveSubscriptions(context, caller, request),
      afterSave: ({ job, outcome }) => ({
        job: warnings.length === 0 ? job : { ...job, warnings },
        outcome,
      }),
    };
  },
  // Owners of schedules of the job learn of the change before the response.
  apply: async ({ loop }, { tenant, name }) => {
    jobHeads(loop).forget(tenant, name);
    await loop.schedules.jobChanged(tenant, name);
  },
});

export const {
  save: defineJob,
  check: checkJob,
  get: getJob,
  list: listJobs,
  pause: pauseJob,
  resume: resumeJob,
  remove: deleteJob,
} = jobs;

export const restoreJob = jobs.changing((name) => (current) => {
  if (current === null) throw noJob(name);
  return current.deleted ? 'restore' : null;
});

interface VersionsQuery {
  readonly name: string;
  readonly after?: string;
  readonly limit?: number;
}

export const listJobVersions = operation(
  paged('versions', async (context, caller, params: VersionsQuery): Promise<Page<Job>> => {
    const { tenant } = await readNamed(context, caller, { kind: 'job', name: params.name });
    const key = { tenant, kind: 'job', name: params.name, after: Number(params.after ?? 0) };
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
