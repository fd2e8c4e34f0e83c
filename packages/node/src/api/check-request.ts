import type { Route } from './route.ts';
import { ROUTES } from './routes.ts';
import { type Check, checkOf } from './validate.ts';

/** A request as its route names it: `/runs/:id` and not the address of one run. */
export interface NamedRequest {
  readonly method: Route['method'];
  readonly url: string;
  readonly params?: object;
  readonly query?: object;
  readonly body?: object;
}

const PARTS = ['params', 'query', 'body'] as const;
const checks = new Map<string, readonly [(typeof PARTS)[number], Check][]>();

/**
 * The checks that a request over HTTP goes through, for a caller in this process: both are refused with the same
 * words, and neither gets further than the other.
 */
export async function checkRequest(request: NamedRequest): Promise<void> {
  for (const [part, check] of checksOf(request)) await check(asJson(request[part] ?? {}));
}

function checksOf({ method, url }: NamedRequest): readonly [(typeof PARTS)[number], Check][] {
  const name = `${method} ${url}`;
  const known = checks.get(name);
  if (known !== undefined) return known;
  const route = ROUTES.find((each) => each.method === method && each.url === url);
  if (route === undefined) throw new Error(`the API has no route ${name}`);
  const made = PARTS.flatMap((part): [(typeof PARTS)[number], Check][] => {
    const schema = route[part];
    return schema === undefined ? [] : [[part, checkOf(schema, part)]];
  });
  checks.set(name, made);
  return made;
}

/** What is undefined is absent, as on the wire. */
function asJson(value: object): unknown {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
}
