import {
  type Cron,
  cronOf,
  DST_GAPS,
  DST_OVERLAPS,
  nextWindow,
  parseCron,
  type Zone,
} from '@signalbox/engine';
import { findZone } from '../zones/index.ts';
import { parseInstant } from './local-instant.ts';

/** What somebody sends who wants to see the windows of an expression. Nothing of it is checked. */
export interface PreviewRequest {
  readonly expr?: unknown;
  readonly timezone?: unknown;
  readonly from?: unknown;
  readonly until?: unknown;
  readonly limit?: unknown;
  readonly dstGap?: unknown;
  readonly dstOverlap?: unknown;
}

export interface PreviewRefusal {
  /** The field at fault, as a path: `timezone`, or `expr.minute` inside of the expression. */
  readonly field: string;
  readonly message: string;
  /** In the expression: the character at which the fault begins; the first is 1. */
  readonly position?: number;
}

export interface PreviewedWindows {
  readonly kind: 'windows';
  readonly cron: Cron;
  readonly fromMs: number;
  readonly windows: readonly number[];
}

export type Preview =
  | PreviewedWindows
  | { readonly kind: 'refused'; readonly refusal: PreviewRefusal };

export const PREVIEW_LIMIT_MAX = 10_000;
const PREVIEW_LIMIT = 10;

class Refused extends Error {
  readonly refusal: PreviewRefusal;

  constructor(refusal: PreviewRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/**
 * The next windows of an expression after an instant, without anything saved and without a node.
 * `now` counts where the request does not say from when.
 */
export function previewWindows(request: PreviewRequest, now: number): Preview {
  try {
    return preview(request, now);
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', refusal: error.refusal };
    throw error;
  }
}

function preview(request: PreviewRequest, now: number): Preview {
  const cron = readCron(request);
  const fromMs = readInstant(request.from, 'from', cron.zone) ?? now;
  const untilMs = readInstant(request.until, 'until', cron.zone) ?? Number.POSITIVE_INFINITY;
  const fallback = isAbsent(request.until) ? PREVIEW_LIMIT : PREVIEW_LIMIT_MAX;
  const limit = readLimit(request.limit) ?? fallback;
  const windows: number[] = [];
  let at = nextWindow(cron, fromMs);
  while (at !== null && at < untilMs && windows.length < limit) {
    windows.push(at);
    at = nextWindow(cron, at);
  }
  return { kind: 'windows', cron, fromMs, windows };
}

/** Streams of requests repeat themselves; what was read once is kept, up to these many. */
const CRONS_KEPT = 1_000;
const crons = new Map<string, Cron>();

function readCron({ expr, timezone, dstGap, dstOverlap }: PreviewRequest): Cron {
  const key = JSON.stringify([expr, timezone, dstGap, dstOverlap]);
  const known = crons.get(key);
  if (known !== undefined) return known;
  const name = timezone ?? 'UTC';
  const zone = typeof name === 'string' ? findZone(name) : null;
  if (zone === null) refuse('timezone', `${shown(timezone)} is not the IANA name of a time zone`);
  if (typeof expr !== 'string') refuse('expr', 'it is not a text');
  const parsed = parseCron(expr);
  if (parsed.kind === 'refused') {
    const { field, position, message } = parsed.refusal;
    const path = field === 'expression' ? 'expr' : `expr.${field}`;
    throw new Refused({ field: path, position, message });
  }
  const gap = readChoice(dstGap, 'dstGap', DST_GAPS);
  const overlap = readChoice(dstOverlap, 'dstOverlap', DST_OVERLAPS);
  const cron = cronOf({ expression: parsed.expression, zone, gap, overlap });
  if (crons.size >= CRONS_KEPT) crons.clear();
  crons.set(key, cron);
  return cron;
}

function readInstant(value: unknown, field: string, zone: Zone): number | undefined {
  if (isAbsent(value)) return undefined;
  const ms = typeof value === 'string' ? parseInstant(value, zone) : null;
  if (ms === null)
    refuse(field, `${shown(value)} is not a date and time such as 2026-03-29T00:00:00Z`);
  return ms;
}

function readLimit(value: unknown): number | undefined {
  if (isAbsent(value)) return undefined;
  if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > PREVIEW_LIMIT_MAX) {
    refuse('limit', `${shown(value)} is not a whole number from 1 to ${PREVIEW_LIMIT_MAX}`);
  }
  return Number(value);
}

function readChoice<Choice extends string>(
  value: unknown,
  field: string,
  choices: readonly Choice[],
): Choice | undefined {
  if (isAbsent(value)) return undefined;
  const choice = choices.find((each) => each === value);
  if (choice === undefined) refuse(field, `${shown(value)} is not one of ${choices.join(', ')}`);
  return choice;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function refuse(field: string, message: string): never {
  throw new Refused({ field, message });
}

const SHOWN_MAX = 40;

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, SHOWN_MAX));
  return typeof value === 'number' ? String(value) : `a value of type ${typeof value}`;
}
