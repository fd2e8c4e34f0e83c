import { ERROR_STATUS, type ErrorCode } from '@signalbox/protocol';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from './openapi-document.ts';
import { openApiTagOf } from './openapi-tags.ts';
import { ROUTES } from './routes.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly { name: string; in: string; required: boolean; schema: unknown }[];
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly info: {
    readonly title: string;
    readonly description: string;
    readonly contact: { readonly name: string };
    readonly license: { readonly name: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const document = openApiDocument(ROUTES, '1.2.3') as Document;
const text = JSON.stringify(document);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, one]) => [`${method} ${path}`, path, one] as const),
);

/** The rules that the recommended sets of Redocly and Spectral hold such a document to. */
describe('the OpenAPI document', () => {
  it('says what it is, whose, under which licence, and where the API is', () => {
    const { info, servers } = document;
    for (const said of [info.title, info.description, info.contact.name, info.license.name]) {
      expect(said).toMatch(/\w/);
    }
    expect(servers.map(({ url }) => url)).toEqual(['/']);
  });

  it('declares for every operation what the HTTP server refuses before it knows the operation', () => {
    for (const [name, , { responses }] of operations) {
      const declared = ['400', '408', '431'].filter((status) => status in responses);
      expect([name, declared]).toEqual([name, ['400', '408', '431']]);
    }
  });

  it('describes each of its tags, has none twice and uses all of them', () => {
    const declared = document.tags.map(({ name }) => name);
    for (const { description } of document.tags) expect(description).toMatch(/\w/);
    expect(new Set(declared).size).toBe(declared.length);
    const used = new Set(operations.flatMap(([, , { tags }]) => tags));
    expect([...used].sort()).toEqual([...declared].sort());
  });

  it('has no group for an address that nobody declared', () => {
    expect(() => openApiTagOf('/surprise')).toThrow('/surprise');
  });

  it.each(operations)('%s can be read without the code', (_name, path, operation) => {
    expect(operation.summary).toMatch(/\w/);
    expect(operation.description).toContain(operation.summary);
    expect(operation.tags).toHaveLength(1);
    expect(operation.operationId).toMatch(/^[A-Za-z0-9_-]+$/);
    const statuses = Object.keys(operation.responses);
    expect(statuses.filter((status) => /^2\d\d$/.test(status))).not.toEqual([]);
    expect(statuses.filter((status) => /^4\d\d$/.test(status))).not.toEqual([]);
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = operation.parameters.filter((one) => one.in === 'path');
    expect(declared.map(({ name }) => name)).toEqual(inPath);
    expect(declared.every(({ required, schema }) => required && schema !== undefined)).toBe(true);
    const schemes = Object.keys(document.components['securitySchemes'] ?? {});
    for (const one of operation.security) {
      for (const scheme of Object.keys(one)) expect(schemes).toContain(scheme);
    }
  });

  it('has no two operations of one name, and no two addresses that differ in names alone', () => {
    const ids = operations.map(([, , { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
    expect(new Set(shapes).size).toBe(shapes.length);
  });

  it('refers to every component, and to none that is not there', () => {
    const used = [...text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)].map(
      ([, kind, name]) => `${kind}/${name}`,
    );
    const { securitySchemes: _, ...others } = document.components;
    const declared = Object.entries(others).flatMap(([kind, all]) =>
      Object.keys(all).map((name) => `${kind}/${name}`),
    );
    expect([...new Set(used)].sort()).toEqual(declared.sort());
  });

  it('declares the headers that operations read, where they are read', () => {
    const reading = (header: string) =>
      operations
        .filter(([, , { parameters }]) =>
          parameters.some((one) => one.in === 'header' && one.name === header),
        )
        .map(([, , { operationId }]) => operationId)
        .sort();
    expect(reading('Idempotency-Key')).toEqual(['backfillSchedule', 'createRun', 'createRuns']);
    expect(reading('Last-Event-ID')).toEqual(['watchEvents', 'watchRun']);
    expect(reading('If-Match')).toEqual(reading('If-None-Match'));
    expect(reading('If-Match')).toEqual(
      expect.arrayContaining(['updateJob', 'deleteJob', 'pauseSchedule', 'updateTenant']),
    );
    const withKey = operations.filter(([, , { security }]) => security.length > 0);
    expect(reading('Signalbox-Tenant')).toEqual(
      withKey.map(([, , { operationId }]) => operationId).sort(),
    );
  });

  it.each(operations)('%s declares its errors by status and code', (_name, _path, operation) => {
    expect(Object.keys(operation.responses)).not.toContain('default');
    for (const [status, response] of Object.entries(operation.responses)) {
      const shown = resolved(response);
      expect(Object.keys(shown.headers ?? {})).toContain('X-Request-Id');
      if (Number(status) < 400 || operation.operationId === 'getReady') continue;
      const codes = [...(shown.description ?? '').matchAll(/`(\w+)`/g)].map(([, code]) => code);
      expect(codes).not.toEqual([]);
      for (const code of codes) expect(ERROR_STATUS[code as ErrorCode]).toBe(Number(status));
      if (status === '429') expect(shown.headers).toHaveProperty('Retry-After');
      if (status === '401') expect(shown.headers).toHaveProperty('WWW-Authenticate');
    }
    const isOpen = operation.security.length === 0;
    expect(Object.hasOwn(operation.responses, '403')).toBe(!isOpen);
  });
});

function resolved(response: Response): Response {
  if (response.$ref === undefined) return response;
  const name = response.$ref.slice('#/components/responses/'.length);
  return document.components['responses']?.[name] as Response;
}
