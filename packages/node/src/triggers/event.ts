import { anyInstantMs } from '@signalbox/protocol';
import type { Json } from '../cel/to-json.ts';

/** Something that happened, in the words of CloudEvents 1.0; what CEL sees as `event`. */
export interface Event {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject?: string;
  readonly time?: string;
  readonly data?: Json;
  /** Attributes of the sender's own. */
  readonly [attribute: string]: Json | undefined;
}

/** Why something is no event, and which of its fields says so. */
export interface EventRefusal {
  readonly field: string;
  readonly message: string;
}

export type CheckedEvent =
  | { readonly kind: 'event'; readonly event: Event }
  | { readonly kind: 'refused'; readonly refusal: EventRefusal };

const TEXTS: Readonly<Record<string, { readonly max: number; readonly required: boolean }>> = {
  id: { max: 256, required: true },
  source: { max: 1_024, required: true },
  type: { max: 256, required: true },
  subject: { max: 1_024, required: false },
  time: { max: 64, required: false },
  datacontenttype: { max: 256, required: false },
  dataschema: { max: 1_024, required: false },
};
const ATTRIBUTE = /^[a-z0-9]{1,20}$/;
const ATTRIBUTES_MAX = 64;
const ATTRIBUTE_CHARS_MAX = 4_096;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Checks one event of the JSON format. */
export function checkEvent(value: unknown): CheckedEvent {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refused('event', 'an event must be an object');
  }
  const given = value as Readonly<Record<string, Json | undefined>>;
  if (given['specversion'] !== '1.0') return refused('specversion', 'must be "1.0"');
  for (const [field, { max, required }] of Object.entries(TEXTS)) {
    const message = textProblem(given[field], max, required);
    if (message !== null) return refused(field, message);
  }
  const { time } = given;
  if (typeof time === 'string' && (!TIME.test(time) || anyInstantMs(time) === null)) {
    return refused('time', 'must be a date and time in RFC 3339');
  }
  const wrong = attributeProblem(given) ?? dataProblem(given);
  if (wrong !== null) return { kind: 'refused', refusal: wrong };
  return { kind: 'event', event: given as Event };
}

function textProblem(value: unknown, max: number, required: boolean): string | null {
  if (value === undefined) return required ? 'is required' : null;
  if (typeof value !== 'string' || value === '' || value.length > max) {
    return `must be a text of 1 to ${max} characters`;
  }
  if (!value.isWellFormed() || value.includes('\0'))
    return 'contains a NUL character or a lone surrogate';
  return null;
}

function attributeProblem(given: Readonly<Record<string, unknown>>): EventRefusal | null {
  const own = Object.keys(given).filter((name) => !Object.hasOwn(TEXTS, name) && !DATA.has(name));
  if (own.length > ATTRIBUTES_MAX) {
    return {
      field: 'event',
      message: `an event can have at most ${ATTRIBUTES_MAX} extension attributes`,
    };
  }
  for (const name of own) {
    if (!ATTRIBUTE.test(name)) {
      return {
        field: name,
        message: 'an attribute name must have 1 to 20 characters from a-z and 0-9',
      };
    }
    const value = given[name];
    if (typeof value === 'string') {
      const message = value === '' ? null : textProblem(value, ATTRIBUTE_CHARS_MAX, true);
      if (message !== null) return { field: name, message };
    } else if (typeof value !== 'boolean' && !Number.isSafeInteger(value)) {
      return { field: name, message: 'an attribute must be a string, an integer or a boolean' };
    }
  }
  return null;
}

const DATA: ReadonlySet<string> = new Set(['specversion', 'data', 'data_base64']);

function dataProblem(given: Readonly<Record<string, unknown>>): EventRefusal | null {
  const bytes = given['data_base64'];
  if (bytes === undefined) return null;
  if (given['data'] !== undefined) {
    return { field: 'data_base64', message: 'an event cannot have both data and data_base64' };
  }
  if (typeof bytes !== 'string' || bytes.length % 4 !== 0 || !BASE64.test(bytes)) {
    return { field: 'data_base64', message: 'is not valid base64' };
  }
  return null;
}

function refused(field: string, message: string): CheckedEvent {
  return { kind: 'refused', refusal: { field, message } };
}
