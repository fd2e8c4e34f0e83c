import { ERROR_STATUS } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import type { TSchema } from 'typebox';
import { API_BASE } from './base.ts';
import { operationId } from './operation-id.ts';
import type { Route } from './route.ts';

const codes = Object.keys(ERROR_STATUS) as (keyof typeof ERROR_STATUS)[];
const ErrorAnswer = Type.Object({
  error: Type.Object({
    code: Type.Union(codes.map((code) => Type.Literal(code))),
    message: Type.String(),
    field: Type.Optional(Type.String()),
    requestId: Type.String(),
  }),
});

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
    info: { title: 'Signalbox', version, license: { name: 'MIT', identifier: 'MIT' } },
    paths,
    components: {
      schemas: { Error: ErrorAnswer },
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
  });
}

function operationOf(route: Route): unknown {
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(route.role === 'none' || route.role === 'signed'
      ? { security: [] }
      : { security: [{ key: [] }] }),
    'x-role': route.role,
    ...(route.platform === true ? { 'x-platform': true } : {}),
    parameters: [...parametersOf(route.params, 'path'), ...parametersOf(route.query, 'query')],
    ...bodyOf(route),
    responses: responsesOf(route),
  };
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

function responsesOf(route: Route): Record<string, unknown> {
  const error = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  const responses: Record<string, unknown> = {
    default: { description: 'An error', content: error },
  };
  for (const [status, schema] of Object.entries(route.response)) {
    const content = schema === null ? {} : { content: { 'application/json': { schema } } };
    responses[status] = { description: Number(status) < 400 ? 'Done' : 'Not done', ...content };
  }
  return responses;
}

/** Schemas carry hidden marks of their library; the document is what JSON keeps of them. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
