import { type Place, placeOf } from './reference.ts';

/** A condition that knows which tasks it asks about. Made by `cel`. */
export interface Condition {
  readonly text: string;
  readonly places: readonly Place[];
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * A condition in CEL with references in it: cel`${extract.output.rows} > 0`. What is no reference is
 * written as a constant, so a text can never be read as a part of the condition.
 */
export function cel(texts: TemplateStringsArray, ...values: readonly unknown[]): Condition {
  const places: Place[] = [];
  const parts = values.map((value, i) => {
    const place = placeOf(value);
    if (place !== null) places.push(place);
    return `${place === null ? constant(value) : scoped(place)}${texts[i + 1]}`;
  });
  return { text: `${texts[0]}${parts.join('')}`, places };
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
  if (text === undefined) throw new TypeError('a condition takes references and JSON');
  return text;
}
