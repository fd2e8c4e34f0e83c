import type { CalendarData } from '@signalbox/engine';
import { ApiError, type Caller, type NodeContext } from '../../context/index.ts';
import { shown } from '../../errors/refusals.ts';

/** The days of a saved calendar; null where there is none of the name. */
export async function findCalendar(
  context: NodeContext,
  { tenant }: Caller,
  name: string,
): Promise<CalendarData | null> {
  const found = await context.store.getDefinition({ tenant, kind: 'calendar', name });
  if (found === null || found.deleted) return null;
  return { ...(JSON.parse(found.body) as CalendarData), name };
}

/** The days of a saved calendar, for a schedule that names it. */
export async function calendarNamed(
  context: NodeContext,
  caller: Caller,
  name: string,
): Promise<CalendarData> {
  const found = await findCalendar(context, caller, name);
  if (found !== null) return found;
  const message = `there is no calendar ${shown(name)}`;
  throw new ApiError('invalid', message, { field: 'definition.calendar' });
}
