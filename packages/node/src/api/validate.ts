import {
  DURATION_PATTERN,
  IDEMPOTENCY_KEY_PATTERN,
  IDEMPOTENCY_KEY_RULE,
  LABEL_NAME_RULE,
  LABEL_VALUE_PATTERN,
  LABEL_VALUE_RULE,
  NAME_PATTERN,
  NAME_RULE,
} from '@signalbox/protocol';
import type { TSchema } from 'typebox';
import type { Compile } from 'typebox/schema';
import { ApiError } from '../errors/api-error.ts';
import { type PathStep, pathOf, stepsOf } from '../json/field-path.ts';
import { fieldHome } from './field-home.ts';
import { isLocked } from './locked-field.ts';
import { narrowFailure, originalPath } from './narrow-failure.ts';

export type Check = (value: unknown) => Promise<void>;

/** Patterns that say more than that some characters are not allowed. */
const RULES: ReadonlyMap<string, string> = new Map([
  [NAME_PATTERN, NAME_RULE],
  [IDEMPOTENCY_KEY_PATTERN, IDEMPOTENCY_KEY_RULE],
  [LABEL_VALUE_PATTERN, LABEL_VALUE_RULE],
]);

type Validator = ReturnType<typeof Compile>;
type Failure = ReturnType<Validator['Errors']>[1][number];

/** Loaded and compiled when it is first needed: at start that would be a good part of a second. */
export function checkOf(schema: TSchema, where: 'body' | 'query' | 'params'): Check {
  let validator: Validator | null = null;
  return async (value) => {
    if (validator === null) {
      const { Compile } = await import('typebox/schema');
      validator = Compile(schema);
    }
    if (validator.Check(value)) return;
    throw await refusalOf(value, { validator, where, schema });
  };
}

async function refusalOf(
  value: unknown,
  of: { readonly validator: Validator; readonly where: string; readonly schema: TSchema },
): Promise<ApiError> {
  const { validator, where, schema } = of;
  const { Compile } = await import('typebox/schema');
  const narrowed = narrowFailure(schema, value, (items) => {
    const ofItem = Compile(items);
    return (item) => ofItem.Check(item);
  });
  if (narrowed.tooLong !== null) {
    const { path, maxItems } = narrowed.tooLong;
    const message = `must not have more than ${maxItems} items`;
    return new ApiError('invalid', message, { field: pathOf(stepsOf(path)) });
  }
  const failures = validator.Errors(narrowed.value)[1].map((failure) => ({
    ...failure,
    instancePath: originalPath(narrowed, failure.instancePath),
  }));
  return explain(failures, where, schema);
}

function explain(failures: readonly Failure[], where: string, schema: TSchema): ApiError {
  // What is unknown is said by its name; a choice none of which fits is said once.
  const failure =
    failures.find((f) => f.keyword === 'additionalProperties') ??
    failures.find((f) => f.keyword === 'anyOf') ??
    failures[0];
  if (failure === undefined) return new ApiError('invalid', `the ${where} is invalid`);
  const at = stepsOf(failure.instancePath);
  const words = wordsOf(failures, failure);
  const [message, field] =
    words.length > 1
      ? [`must be one of ${words.join(', ')}`, at]
      : describe(failure, at, { schema, isInstant: isInstantAt(failures, failure) });
  const path = pathOf(field);
  if (failure.keyword === 'additionalProperties' && isLocked(schema, field)) {
    const locked = 'the definition of the job sets this field; a submission cannot override it';
    return new ApiError('locked_field', locked, { field: path });
  }
  return new ApiError('invalid', message, { field: path === '' ? where : path });
}

/** Where one of several words was expected there is a failure for each: all of them are said. */
function wordsOf(failures: readonly Failure[], { instancePath, keyword }: Failure): string[] {
  if (keyword !== 'anyOf' && keyword !== 'const') return [];
  return failures
    .filter((each) => each.keyword === 'const' && each.instancePath === instancePath)
    .map(({ params }) => JSON.stringify((params as Record<string, unknown>)['allowedValue']));
}

/** Whether an instant was expected at the place of the failure. */
function isInstantAt(failures: readonly Failure[], { instancePath }: Failure): boolean {
  return failures.some(({ keyword, params, instancePath: at }) => {
    const { format } = params as { format?: unknown };
    return keyword === 'format' && at === instancePath && format === 'date-time';
  });
}

function describe(
  failure: Failure,
  at: readonly PathStep[],
  { schema, isInstant }: { readonly schema: TSchema; readonly isInstant: boolean },
): [string, readonly PathStep[]] {
  const params = failure.params as Record<string, unknown>;
  switch (failure.keyword) {
    case 'required': {
      const [name] = params['requiredProperties'] as string[];
      return ['is required', [...at, name ?? '']];
    }
    case 'additionalProperties': {
      const [name = ''] = params['additionalProperties'] as string[];
      const home = fieldHome(schema, at, name);
      const message = `unknown field${home === null ? '' : `; ${home}`}`;
      return [message, [...at, name]];
    }
    case 'anyOf':
      if (isInstant) return ['must be a date and time in ISO 8601, or a date', at];
      return ['does not match any allowed form', at];
    case 'const':
      return [`must be ${JSON.stringify(params['allowedValue'])}`, at];
    case 'pattern':
      if (params['pattern'] === DURATION_PATTERN) {
        return ["must be a duration such as '90s' or '1h30m', or milliseconds", at];
      }
      return [
        RULES.get(params['pattern'] as string) ??
          'contains characters that are not allowed, or is too long',
        at,
      ];
    case 'propertyNames':
      return [LABEL_NAME_RULE, at];
    default:
      return [failure.message, at];
  }
}

/**
 * A query string is text only: what the schema calls a number or a truth value is read as one if
 * it is written plainly, and is left for the check to refuse otherwise. A repeated name stays a
 * list, which no schema takes: two readers would disagree on which one counts.
 */
export function readQuery(query: unknown, schema: TSchema | undefined): Record<string, unknown> {
  const properties = (schema as { properties?: Record<string, TSchema> } | undefined)?.properties;
  const known = properties ?? {};
  const read: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query as Record<string, unknown>)) {
    if (!Object.hasOwn(known, name)) {
      throw new ApiError('invalid', 'unknown parameter', { field: pathOf([name]) });
    }
    if (typeof value === 'string' && (!value.isWellFormed() || value.includes('\u0000'))) {
      throw new ApiError('invalid', 'contains a NUL character or a lone surrogate', {
        field: name,
      });
    }
    read[name] = plain(value, (known[name] as { type?: unknown }).type);
  }
  return read;
}

function plain(value: unknown, type: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (
    (type === 'integer' || (Array.isArray(type) && type.includes('integer'))) &&
    /^(0|-?[1-9]\d{0,15})$/.test(value)
  ) {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (type === 'number' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
