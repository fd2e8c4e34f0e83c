import type { Timed } from '../model/timer-wheel.ts';

/** When runs are looked through next. */
export class WatchTimer implements Timed {
  readonly kind = 'watch';
  timerAt = 0;
  timerBucket: Timed['timerBucket'] = null;
  timerPrevious: Timed | null = null;
  timerNext: Timed | null = null;
}
