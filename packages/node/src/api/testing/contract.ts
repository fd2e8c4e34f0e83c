import type { TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import { API_BASE } from '../base.ts';
import { openApiDocument } from '../openapi-document.ts';
import { ROUTES } from '../routes.ts';

/** A response of the API, as it is sent. */
export interface Sent {
  readonly method: string;
  /** The declared path with `:name` for parameters. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Text of the body; null for a body that is not text or is not sent. */
  readonly body: string | null;
}

interface Declared {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, { readonly schema: TSchema }>>;
}
interface Document {
  readonly paths: Record<string, Record<string, { responses: Record<string, Declared> }>>;
  readonly components: { readonly responses: Record<string, Declared> };
}

/** Headers of every response, which the document does not repeat for each. */
const GENERAL = new Set([
  'cache-control',
  'connection',
  'content-length',
  'content-security-policy',
  'content-type',
  'cross-origin-resource-policy',
  'date',
  'keep-alive',
  'referrer-policy',
  'transfer-encoding',
  'x-content-type-options',
  'x-frame-options',
]);

const document = openApiDocument(ROUTES, '0.0.0') as Document;
const validators = new WeakMap<object, ReturnType<typeof Compile>>();

/** What of a response the API document does not declare; empty if all of it is declared. */
export function violationsOf(sent: Sent): readonly string[] {
  const { status, headers } = sent;
  const declared = declaredFor(sent);
  const name = `${sent.method} ${sent.url} ${status}`;
  if (declared === undefined) return [`${name} is not declared: ${sent.body}`];
  const names = Object.keys(declared.headers ?? {}).map((header) => header.toLowerCase());
  const found = Object.keys(headers)
    .filter((header) => !GENERAL.has(header) && !names.includes(header))
    .map((header) => `${name}: the header ${header} is not declared`);
  for (const [header, { required = false }] of Object.entries(declared.headers ?? {})) {
    if (required && headers[header.toLowerCase()] === undefined) {
      found.push(`${name}: the header ${header} is missing`);
    }
  }
  return [...found, ...bodyViolations(sent, declared).map((problem) => `${name}: ${problem}`)];
}

function declaredFor({ method, url, status }: Sent): Declared | undefined {
  const path = `${API_BASE}${url.replaceAll(/:(\w+)/g, '{$1}')}`;
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const declared = document.paths[path]?.[verb]?.responses[status];
  const reference = (declared as { $ref?: string } | undefined)?.$ref;
  if (reference === undefined) return declared;
  return document.components.responses[reference.slice('#/components/responses/'.length)];
}

function bodyViolations({ method, headers, body }: Sent, { content }: Declared): string[] {
  const type = String(headers['content-type'] ?? '').split(';', 1)[0] ?? '';
  if (content === undefined) return type === '' ? [] : [`has a body of type ${type}`];
  const schema = content[type]?.schema;
  if (schema === undefined) return [`the content type ${type} is not declared`];
  if (type !== 'application/json' || method === 'HEAD' || body === null) return [];
  const validator = validatorOf(schema);
  const value: unknown = JSON.parse(body);
  if (validator.Check(value)) return [];
  const failures = validator.Errors(value)[1].slice(0, 3);
  const shown = failures.map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  );
  return [`${shown.join('; ')} in ${body.slice(0, 1_000)}`];
}

function validatorOf(schema: TSchema): ReturnType<typeof Compile> {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const made = Compile(closed(schema) as TSchema);
  validators.set(schema, made);
  return made;
}

/** A response may gain fields in later versions; here a field that is not declared is a mistake. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, each]) => [key, closed(each)]));
  const isOpen =
    copy['properties'] !== undefined &&
    Object.keys(copy['properties'] as object).length > 0 &&
    copy['additionalProperties'] === undefined &&
    copy['patternProperties'] === undefined;
  return isOpen ? { ...copy, additionalProperties: false } : copy;
}
