import { Type } from '@signalbox/protocol/type';
import { openApiDocument } from '../openapi-document.ts';
import { type Route, route } from '../route.ts';

/** Takes a function, because the list of all routes also has this one. */
export function openapiRoutes(routes: () => readonly Route[]): readonly Route[] {
  let document: unknown = null;
  return [
    route({
      method: 'GET',
      url: '/openapi.json',
      role: 'none',
      summary: 'Returns this API as an OpenAPI 3.1 document',
      response: { 200: Type.Object({}) },
      handler: async ({ context }) => {
        document ??= openApiDocument(routes(), context.version);
        return document;
      },
    }),
  ];
}
