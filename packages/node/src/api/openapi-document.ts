import type { TSchema } from 'typebox';
import { neededKey } from '../auth/roles.ts';
import { API_BASE } from './base.ts';
import { errorComponents, responsesOf } from './openapi-responses.ts';
import { OPENAPI_TAGS, openApiTagOf } from './openapi-tags.ts';
import { operationId } from './operation-id.ts';
import { headerParametersOf } from './request-headers.ts';
import type { Route } from './route.ts';

const DESCRIPTION =
  'The HTTP API of a Signalbox node: jobs, schedules, triggers, runs, workers and administration. ' +
  'Send a key with every request as `Authorization: Bearer sbx_…`. All errors have the same form; ' +
  'programs should depend on `error.code`, not on `error.message`.';

/** OpenAPI 3.1 from the declarations that validate and guard: it cannot say anything else than they do. */
export function openApiDocument(routes: readonly Route[], version: string): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = `${API_BASE}${route.url.replaceAll(/:(\w+)/g, '{$1}')}`;
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = operationOf(route);
  }
  return plain({
    openapi: '3.1.0',
    info: {
      title: 'Signalbox',
      version,
      description: DESCRIPTION,
      contact: { name: 'Signalbox' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Relative: whoever reads the document has reached the node already.
    servers: [{ url: '/', description: 'The node that served this document' }],
    tags: OPENAPI_TAGS,
    paths,
    components: {
      responses: errorComponents(routes),
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key, as `Bearer sbx_…`' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'The same key' },
      },
    },
  });
}

function operationOf(route: Route): unknown {
  return {
    operationId: operationId(route),
    summary: route.summary,
    description: descriptionOf(route),
    tags: [openApiTagOf(route.url)],
    ...(route.role === 'none' || route.role === 'signed'
      ? { security: [] }
      : { security: [{ key: [] }, { apiKey: [] }] }),
    'x-role': route.role,
    ...(route.platform === true ? { 'x-platform': true } : {}),
    parameters: [
      ...parametersOf(route.params, 'path'),
      ...parametersOf(route.query, 'query'),
      ...headerParametersOf(route),
    ],
    ...bodyOf(route),
    responses: responsesOf(route),
  };
}

/** What it does, the rules that a schema cannot express, the required key and the audit action. */
function descriptionOf(route: Route): string {
  const { summary, audit, rules = [] } = route;
  const trace = audit === undefined ? '' : ` Recorded in the audit log as \`${audit}\`.`;
  const list = rules.length === 0 ? '' : `\n\n${rules.map((rule) => `- ${rule}`).join('\n')}`;
  return `${summary}.\n\n${accessOf(route)}${trace}${list}`;
}

function accessOf(route: Route): string {
  if (route.role === 'none') return 'Needs no key.';
  if (route.role === 'signed') {
    return 'Needs no key: the body must be signed with the secret of the trigger.';
  }
  return `Needs ${neededKey(route)}.`;
}

interface Fields {
  readonly properties?: Record<string, TSchema>;
  readonly required?: readonly string[];
}

function parametersOf(schema: TSchema | undefined, where: 'path' | 'query'): unknown[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Fields;
  return Object.entries(properties).map(([name, field]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: field,
  }));
}

function bodyOf(route: Route): object {
  if (route.bytes === true) {
    const types = route.contentTypes ?? ['application/octet-stream'];
    const content = Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }]));
    return { requestBody: { required: false, content } };
  }
  if (route.body === undefined) return {};
  const required = ((route.body as Fields).required ?? []).length > 0;
  const { packed } = route;
  const content = {
    'application/json': { schema: route.body },
    ...(packed && { [packed.contentType]: { schema: binary(packed.description) } }),
  };
  return { requestBody: { required, content } };
}

function binary(description: string): object {
  return { type: 'string', format: 'binary', description };
}

/** Schemas carry hidden marks of their library; the document is what JSON keeps of them. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
