import {
  boundedWindows,
  type Recurrence,
  recurrenceOf,
  type ScheduleSpec,
} from '@signalbox/engine';
import { zoneOf } from '../../zones/index.ts';

export function windowsOf(spec: ScheduleSpec): Recurrence {
  return boundedWindows(recurrenceOf(spec.when, zoneOf), spec);
}

export function nextWindows(spec: ScheduleSpec, after: number, count: number): number[] {
  const recurrence = windowsOf(spec);
  const windows: number[] = [];
  for (let at = recurrence.next(after); at !== null && windows.length < count; ) {
    windows.push(at);
    at = recurrence.next(at);
  }
  return windows;
}
