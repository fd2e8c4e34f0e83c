import type { CalendarData } from '@signalbox/engine';
import { ApiError, type Caller, type NodeContext } from '../../context.ts';
import { shown } from '../refusals.ts';

/** The days of a saved calendar, for a schedule that names it. */
export async function calendarNamed(
  context: NodeContext,
  { tenant }: Caller,
  name: string,
): Promise<CalendarData> {
  const found = await context.store.getDefinition({ tenant, kind: 'calendar', name });
  if (found === null || found.deleted) {
    const message = `no calendar has the name ${shown(name)}`;
    throw new ApiError('invalid', message, { field: 'definition.calendar' });
  }
  return { ...(JSON.parse(found.body) as CalendarData), name };
}
