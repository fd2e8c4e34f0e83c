import { duration } from '@signalbox/node/settings';
import { anyInstantMs } from '@signalbox/protocol';
import { UserError } from '../user-error.ts';

/** An instant as a person types it: ISO 8601, `now`, or a time from now like 90m or, before it, -2h. */
export function instantOf(
  flag: string,
  option: string | number | undefined,
  nowMs: number,
): string | undefined {
  if (option === undefined) return undefined;
  const text = String(option);
  if (text === 'now') return new Date(nowMs).toISOString();
  const [, sign, time] = /^([+-]?)(\d.*)$/.exec(text) ?? [];
  const ms = duration.read(time);
  if (typeof ms === 'number') {
    return new Date(nowMs + (sign === '-' ? -ms : ms)).toISOString();
  }
  if (anyInstantMs(text) !== null) return text;
  const shown = JSON.stringify(option);
  const hint = 'write a time such as 2030-01-31T09:00:00Z, now, 90m (from now) or -2h (ago)';
  throw new UserError('usage', `${flag} ${shown} is not a time`, hint);
}
