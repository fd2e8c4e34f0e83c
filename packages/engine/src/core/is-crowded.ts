import type { Class } from '../model/classes.ts';
import type { Core } from './core.ts';

/** Whether the class has its share of memory and the others leave it no more. */
export function isCrowded({ queues, settings }: Core, klass: Class): boolean {
  const [p0, p1, p2] = queues.size;
  return queues.size[klass] >= settings.classWindow && p0 + p1 + p2 >= settings.nodeWindow;
}
