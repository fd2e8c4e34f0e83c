import {
  compareRunIds,
  firstIdOf,
  formatRunId,
  isReserved,
  parseIdBytes,
  type RunHead,
  type RunId,
  readRunId,
} from '@signalbox/engine';
import { anyInstantMs, type RunFilter, type RunState } from '@signalbox/protocol';
import { ApiError } from '../../errors/api-error.ts';
import type { RunView as EngineView } from '../../loop/index.ts';

/** A range of ids: from `from` on, before `before`. */
export interface IdRange {
  readonly from: RunId | null;
  readonly before: RunId | null;
}

/** Triggers by hand and backfills are the schedule's too. */
const BY_SCHEDULE = new Set(['schedule', 'manual', 'backfill']);
const ID_DIGITS = 32;
const ID_DIGITS_MIN = 4;

/** The ids among which matching runs are: an id begins with the time of the submission. */
export function rangeOf(filter: RunFilter): IdRange {
  const from = msOf('from', filter.from);
  const until = msOf('until', filter.until);
  if (from !== null && until !== null && from >= until) {
    throw new ApiError('invalid', 'from must be before until', { field: 'from' });
  }
  const range: IdRange = {
    from: from === null ? null : firstIdOf(from),
    before: until === null ? null : firstIdOf(until),
  };
  return filter.id === undefined ? range : within(range, beginningWith(filter.id));
}

function msOf(field: string, instant: string | undefined): number | null {
  if (instant === undefined) return null;
  const ms = anyInstantMs(instant);
  if (ms !== null && ms >= 0 && ms < 2 ** 48) return ms;
  throw new ApiError('invalid', `${instant} is not a date and time in ISO 8601`, { field });
}

function beginningWith(text: string): IdRange {
  const digits = digitsOf(text);
  // Ids begin with the time: a dash alone, or a digit, would select every run of the tenant.
  if (digits.length < ID_DIGITS_MIN || digits.length > ID_DIGITS || /[^0-9a-f]/i.test(digits)) {
    const message = `${JSON.stringify(text)} is not the start of an id; write ${ID_DIGITS_MIN} to ${ID_DIGITS} hexadecimal digits`;
    throw new ApiError('invalid', message, { field: 'id' });
  }
  const at = (fill: string) => readRunId(parseIdBytes(digits.padEnd(ID_DIGITS, fill)));
  const last = at('f');
  // Run numbers are exact, so none is as large as this.
  const seq = Math.min(last.seq + 1, Number.MAX_SAFE_INTEGER);
  return { from: at('0'), before: { ...last, seq } };
}

export function within(a: IdRange, b: IdRange): IdRange {
  return { from: pick(a.from, b.from, 1), before: pick(a.before, b.before, -1) };
}

/** The later of two ids for a sign of 1, the earlier one for -1; null is no border. */
function pick(a: RunId | null, b: RunId | null, sign: 1 | -1): RunId | null {
  if (a === null || b === null) return a ?? b;
  return compareRunIds(a, b) * sign >= 0 ? a : b;
}

/** Whether the filter leaves out runs by what only their row tells: then a page may be short. */
export function isSelective(filter: RunFilter): boolean {
  const { state, priority, schedule, trigger, event, submittedBy } = filter;
  return [state, priority, schedule, trigger, event, submittedBy].some(
    (each) => each !== undefined,
  );
}

/** What the row of a submission tells, whatever has become of the run since. */
export function matchesRow(
  row: { id: RunId; job: string; head: RunHead },
  filter: RunFilter,
): boolean {
  const { head } = row;
  const { id, job, schedule, trigger, event, submittedBy } = filter;
  if (id !== undefined && !digitsOf(formatRunId(row.id)).startsWith(digitsOf(id))) return false;
  if (job !== undefined && row.job !== job) return false;
  if (schedule !== undefined && !isOfSchedule(head, schedule)) return false;
  if (trigger !== undefined && !isOf(head, 'event', trigger)) return false;
  if (event !== undefined && head.event?.id !== event) return false;
  return submittedBy === undefined || head.trigger?.by === submittedBy;
}

/** The state and the priority change while a run lives. */
export function matchesView(
  view: Pick<EngineView, 'state' | 'class'>,
  filter: RunFilter,
  states: ReadonlySet<RunState> | null,
): boolean {
  if (filter.state !== undefined && view.state !== filter.state) return false;
  if (states !== null && !states.has(view.state)) return false;
  return filter.priority === undefined || view.class === filter.priority;
}

/** The key as it may have been submitted; null for one that only the node makes. */
export function keyOf(filter: RunFilter): string | null {
  const { idempotencyKey: key } = filter;
  return key === undefined || isReserved(key) ? null : key;
}

function digitsOf(text: string): string {
  return text.replaceAll('-', '').toLowerCase();
}

function isOfSchedule(head: RunHead, schedule: string): boolean {
  const { kind = '', of } = head.trigger ?? {};
  return head.window?.schedule === schedule || (BY_SCHEDULE.has(kind) && of === schedule);
}

function isOf({ trigger }: RunHead, kind: string, name: string): boolean {
  return trigger?.kind === kind && trigger.of === name;
}
