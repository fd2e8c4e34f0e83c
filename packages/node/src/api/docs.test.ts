import { readFileSync } from 'node:fs';
import { ERROR_STATUS } from '@signalbox/protocol';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from './openapi-document.ts';
import { ROUTES } from './routes.ts';

const read = (name: string) =>
  readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');

describe('the documents', () => {
  it('docs/errors.md lists every code with its status', () => {
    const listed = [...read('errors.md').matchAll(/^\| `(\w+)` \| (\d+) \|/gm)];
    expect(listed.map(([, code, status]) => [code, Number(status)])).toEqual(
      Object.entries(ERROR_STATUS),
    );
  });

  it('docs/api.md lists every route with the role that it asks for', () => {
    const listed = [...read('api.md').matchAll(/^\| (\w+) \| `(\S+)` \| ([\w, ]+) \|/gm)].map(
      ([, method, url, role]) => `${method} ${url} ${role}`,
    );
    const declared = ROUTES.map((route) => {
      const role = [
        route.role,
        ...(route.alsoWorker === true ? ['worker'] : []),
        ...(route.platform === true ? ['platform'] : []),
      ].join(', ');
      return `${route.method} ${route.url.replaceAll(/:(\w+)/g, '{$1}')} ${role}`;
    });
    expect(listed.sort()).toEqual(declared.sort());
  });

  it('docs/api.md says which bodies have a reason', () => {
    const changesOne = (url: string) =>
      /^\/(runs\/(:id\/\w+|cancel|retry)|workers\/:name\/\w+)$/.test(url);
    for (const { url, method, body } of ROUTES) {
      const fields = Object.keys((body as { properties?: object } | undefined)?.properties ?? {});
      const expected = method === 'POST' && changesOne(url);
      expect([url, fields.includes('reason')]).toEqual([url, expected]);
    }
    expect(read('api.md')).toContain(
      'below `/runs/{id}` that cancel, retry, pause, resume, reevaluate or change the priority, of `/runs/cancel` and `/runs/retry`, and of those below `/workers/{name}`',
    );
  });

  it('no two routes have the same address and method', () => {
    const names = ROUTES.map((route) => `${route.method} ${route.url.replaceAll(/:\w+/g, ':')}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

interface OpenApi {
  readonly openapi: string;
  readonly paths: Record<
    string,
    Record<string, { operationId: string; parameters: { name: string; in: string }[] }>
  >;
}

describe('the OpenAPI document', () => {
  const document = openApiDocument(ROUTES, '1.2.3') as OpenApi;

  it('is of version 3.1 and has every route, each under a name of its own', () => {
    expect(document.openapi).toBe('3.1.0');
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    expect(operations).toHaveLength(ROUTES.length);
    const ids = operations.map((one) => one.operationId);
    expect(new Set(ids).size).toBe(ROUTES.length);
    // One set of verbs, so that somebody who knows one resource can guess the operations of another.
    for (const thing of ['Job', 'Schedule', 'Trigger']) {
      const verbs = ['create', 'update', 'delete', 'get', 'check'].map((verb) => `${verb}${thing}`);
      expect(ids).toEqual(expect.arrayContaining([...verbs, `list${thing}s`]));
    }
    expect(ids).toEqual(expect.arrayContaining(['pauseJob', 'resumeJob', 'pauseRun', 'resumeRun']));
    expect(ids.filter((id) => /^(define|save|set|make|put|post|enable)/.test(id))).toEqual([]);
  });

  it('declares every parameter that is in a path', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters } of Object.values(methods)) {
        const declared = parameters.filter((one) => one.in === 'path').map((one) => one.name);
        expect([path, declared]).toEqual([path, names]);
      }
    }
  });

  it('every route that takes fields refuses those that it does not know', () => {
    for (const { url, body, query } of ROUTES) {
      for (const schema of [body, query]) {
        if (schema === undefined || !('properties' in schema)) continue;
        const { additionalProperties } = schema as { additionalProperties?: unknown };
        expect([url, additionalProperties]).toEqual([url, false]);
      }
    }
  });
});
