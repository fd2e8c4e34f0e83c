import { partsOf, referencesIn } from './inputs.ts';
import { type Place, placeOf } from './reference.ts';

/** A condition with the tasks that it refers to. Created by `cel`. */
export interface Condition {
  readonly text: string;
  readonly places: readonly Place[];
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * A CEL condition with references: cel`${extract.output.rows} > 0`. Any other value is
 * written as a constant, so a string is never read as part of the condition.
 */
export function cel(texts: TemplateStringsArray, ...values: readonly unknown[]): Condition {
  const places: Place[] = [];
  const parts = values.map((value, i) => {
    places.push(...referencesIn(value).map(({ place }) => place));
    return `${written(value)}${texts[i + 1]}`;
  });
  return { text: `${texts[0]}${parts.join('')}`, places };
}

/** A list or an object with references in it is one of CEL. */
function written(value: unknown): string {
  const place = placeOf(value);
  if (place !== null) return scoped(place);
  const parts = partsOf(value);
  if (parts === null || referencesIn(value).length === 0) return constant(value);
  if (Array.isArray(value)) return `[${parts.map(([, part]) => written(part)).join(', ')}]`;
  return `{${parts.map(([name, part]) => `${JSON.stringify(name)}: ${written(part)}`).join(', ')}}`;
}

/** As the condition finds it: `input.day`, `tasks.extract.output.rows`. */
function scoped({ task, path }: Place): string {
  const steps = path === '' ? [] : path.split('.');
  const head = task === null ? 'input' : `tasks${member(task)}.output`;
  return `${head}${steps.map(member).join('')}`;
}

function member(name: string): string {
  if (PLAIN.test(name)) return `.${name}`;
  return /^\d+$/.test(name) ? `[${name}]` : `[${JSON.stringify(name)}]`;
}

function constant(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined)
    throw new TypeError('a condition can only contain references and JSON values');
  return text;
}
