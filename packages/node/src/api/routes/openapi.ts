import { Type } from '@signalbox/protocol/type';
import { openApiDocument } from '../openapi-document.ts';
import { type Route, route } from '../route.ts';

/** Of all routes but itself, so it is given the others when the list is put together. */
export function openapiRoutes(others: readonly Route[]): readonly Route[] {
  let document: unknown = null;
  return [
    route({
      method: 'GET',
      url: '/openapi.json',
      role: 'none',
      summary: 'Get this API as an OpenAPI 3.1 document',
      response: { 200: Type.Object({}) },
      handler: async ({ context }) => {
        document ??= openApiDocument(others, context.version);
        return document;
      },
    }),
  ];
}
