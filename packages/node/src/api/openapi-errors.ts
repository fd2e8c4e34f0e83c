import { ERROR_STATUS } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import type { Route } from './route.ts';

const codes = Object.keys(ERROR_STATUS) as (keyof typeof ERROR_STATUS)[];

export const ErrorAnswer = Type.Object({
  error: Type.Object({
    code: Type.Union(codes.map((code) => Type.Literal(code))),
    message: Type.String(),
    field: Type.Optional(Type.String()),
    requestId: Type.String(),
  }),
});

/** Shared by all operations that answer with it. */
const NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthenticated',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'TooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
};

const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };

/** The answers of `components.responses`. */
export const ERROR_RESPONSES: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(NAMES).map(([status, name]) => {
    const causes = codes.filter((code) => ERROR_STATUS[code] === Number(status));
    const description = `Refused: ${causes.map((code) => `\`${code}\``).join(', ')}`;
    return [name, { description, content }];
  }),
);

/** The refusals that the gate and the checks before a handler can answer, and conflicts of changes. */
export function errorResponsesOf(route: Route): Record<string, unknown> {
  const isOpen = route.role === 'none' || route.role === 'signed';
  const hasJson = route.body !== undefined;
  const hasBody = hasJson || route.bytes === true;
  const statuses = [
    ...(hasJson ? [400, 415] : []),
    ...(hasBody ? [413] : []),
    ...(isOpen ? [] : [401, 403, 429]),
    ...(route.params === undefined ? [] : [404]),
    ...(route.audit === undefined ? [] : [409]),
    // A parameter that is not declared is refused everywhere.
    422,
  ];
  const refs = statuses.map((status) => [
    status,
    { $ref: `#/components/responses/${NAMES[status]}` },
  ]);
  return { ...Object.fromEntries(refs), default: { description: 'An error', content } };
}
