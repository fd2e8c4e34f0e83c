import { Cursor, checkedOf, type ErrorCode, Name, type Page, pageOf } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import type { TSchema } from 'typebox';
import type { Expected } from '../operations/common/expected.ts';
import type { Operation } from '../operations/common/operation.ts';
import { expectedBy, tagOf } from './etag.ts';
import { VERSION_HEADERS } from './request-headers.ts';
import { type Route, type RouteRequest, route } from './route.ts';
import { newestVersion, noteVersion } from './version-note.ts';

const closed = { additionalProperties: false } as const;
export const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 }));
const NewJob = Type.Object({ newJob: Type.Optional(Type.Boolean()) }, closed);

interface Shown {
  readonly name: string;
  readonly version: number;
}

type ByName = { readonly name: string } & Expected;
type Change<View> = Operation<ByName, View>;

interface SaveRequest {
  readonly name: string;
  readonly definition: never;
  readonly expected?: Expected;
  readonly isJobNew?: boolean;
}

interface KindRoutes<K extends string, View extends Shown & { readonly state: string }> {
  readonly kind: K;
  readonly View: TSchema;
  readonly Definition: TSchema;
  readonly rules: readonly string[];
  /** Error codes of validation. */
  readonly errors: readonly ErrorCode[];
  /** `POST` to the collection also updates, and the definition may be omitted; default: the name must be new. */
  readonly postUpdates?: true;
  /** A definition refers to a job, which a check may assume to exist (`newJob`). */
  readonly hasJob?: true;
  readonly save: Operation<
    SaveRequest,
    Readonly<Record<K, View>> & { readonly outcome: 'created' | 'changed' | 'unchanged' }
  >;
  readonly check: Operation<SaveRequest, unknown>;
  readonly get: Operation<{ name: string }, View>;
  readonly list: Operation<{ after?: string; limit?: number; deleted?: boolean }, Page<View>>;
  readonly remove: Change<View>;
  readonly summaries: Readonly<Record<'create' | 'update' | 'get' | 'remove', string>>;
}

/** The routes of one kind of definition: create, update, check, list, get, delete, and changes such as pausing. */
export function definitionRoutes<K extends string, View extends Shown & { readonly state: string }>(
  params: KindRoutes<K, View>,
) {
  const { kind, View, Definition, rules, errors, summaries } = params;
  const url = `/${kind}s/:${kind}`;
  const Named = Type.Object({ [kind]: Name });
  const nameOf = (request: { params: unknown }) => (request.params as Record<K, string>)[kind];

  const save = async (
    request: RouteRequest<unknown, unknown, unknown>,
    wanted: { name: string; definition: unknown; expected: Expected },
  ): Promise<View> => {
    const { context, caller, reply, note } = request;
    const { outcome, ...saved } = await params.save(context, caller, wanted as SaveRequest);
    const view = (saved as unknown as Record<K, View>)[kind];
    note.target = view.name;
    noteVersion(note, { version: view.version, outcome });
    reply.code(outcome === 'created' ? 201 : 200).header('etag', tagOf(view.version));
    return view;
  };

  const isNew = params.postUpdates !== true;
  const saving = { rules, reads: VERSION_HEADERS, versioned: true, role: 'operator' } as const;
  return {
    create: route({
      ...saving,
      method: 'POST',
      url: `/${kind}s`,
      summary: summaries.create,
      body: Type.Object(
        { name: Name, definition: isNew ? Definition : Type.Optional(Definition) },
        closed,
      ),
      response: isNew ? { 201: View } : { 200: View, 201: View },
      location: ({ name }: { name: string }) => `/${kind}s/${name}`,
      errors: ['quota_exceeded', ...errors],
      audit: isNew ? `${kind}.create` : `${kind}.update`,
      handler: (request) => {
        const { name, definition = {} } = request.body as { name: string; definition?: unknown };
        const expected = { ...expectedBy(request.headers), ...(isNew ? { isNew } : {}) };
        return save(request, { name, definition, expected });
      },
    }),

    update: route({
      ...saving,
      method: 'PUT',
      url,
      summary: summaries.update,
      params: Named,
      body: Definition,
      response: { 200: View, 201: View },
      errors: ['quota_exceeded', ...errors],
      audit: `${kind}.update`,
      handler: (request) => {
        const expected = expectedBy(request.headers);
        return save(request, { name: nameOf(request), definition: request.body, expected });
      },
    }),

    check: route({
      method: 'POST',
      url: `${url}/check`,
      role: 'viewer',
      summary: `Validates a ${kind} and returns what saving it would change; saves nothing`,
      rules,
      params: Named,
      ...(params.hasJob === true ? { query: NewJob } : {}),
      body: Definition,
      response: { 200: checkedOf(Definition) },
      errors,
      handler: (request) => {
        const { context, caller, body } = request;
        const isJobNew = (request.query as { newJob?: boolean } | undefined)?.newJob === true;
        const wanted = { name: nameOf(request), definition: body as never, isJobNew };
        return params.check(context, caller, wanted);
      },
    }),

    list: route({
      method: 'GET',
      url: `/${kind}s`,
      role: 'viewer',
      summary: `Lists the ${kind}s of the tenant by name`,
      query: Type.Object(
        { after: Type.Optional(Cursor), limit: Limit, deleted: Type.Optional(Type.Boolean()) },
        closed,
      ),
      response: { 200: pageOf(View) },
      handler: ({ context, caller, query }) => params.list(context, caller, query),
    }),

    get: route({
      method: 'GET',
      url,
      role: 'viewer',
      summary: summaries.get,
      params: Named,
      response: { 200: View },
      versioned: true,
      errors: ['not_found'],
      handler: async (request) => {
        const { context, caller, reply } = request;
        const view = await params.get(context, caller, { name: nameOf(request) });
        reply.header('etag', tagOf(view.version));
        return view;
      },
    }),

    remove: route({
      method: 'DELETE',
      url,
      role: 'operator',
      summary: summaries.remove,
      params: Named,
      reads: VERSION_HEADERS,
      response: { 200: View },
      errors: ['not_found'],
      audit: `${kind}.delete`,
      handler: async (request) => {
        const { context, caller, headers, note } = request;
        const wanted = { name: nameOf(request), ...expectedBy(headers) };
        const view = await params.remove(context, caller, wanted);
        noteVersion(note, { version: view.version, outcome: 'deleted' });
        return view;
      },
    }),

    /** A change without a body: pause, resume, restore. */
    changing: (action: string, summary: string, change: Change<View>): Route =>
      route({
        method: 'POST',
        url: `${url}/${action}`,
        role: 'operator',
        summary,
        params: Named,
        reads: VERSION_HEADERS,
        response: { 200: View },
        versioned: true,
        errors: ['not_found'],
        audit: `${kind}.${action}`,
        handler: async (request) => {
          const { context, caller, headers, reply, note } = request;
          const name = nameOf(request);
          const seen = await newestVersion(context, caller, { kind, name });
          const view = await change(context, caller, { name, ...expectedBy(headers) });
          noteVersion(note, { version: view.version, outcome: view.state, seen });
          reply.header('etag', tagOf(view.version));
          return view;
        },
      }),
  };
}
