import type { Measured } from '../measurement.ts';
import type { Session } from '../session.ts';
import type { Shape } from '../systems/system.ts';
import { measureCron } from './cron.ts';
import { measureDrain } from './drain.ts';
import { measureHistory } from './history.ts';
import { measureIdle } from './idle.ts';
import { measureLatency } from './latency.ts';
import { measureSingleAndMany } from './single.ts';
import type { Sizes } from './sizes.ts';
import { measureSteady } from './steady.ts';
import { measureSubmit } from './submit.ts';

/** One way to measure a shape; a shape that has several sizes is measured once for each. */
export interface Variant {
  /** Beside the name of the shape, where there are several. */
  readonly label: string;
  /** How many tasks its storage holds at its fullest: peers are spared the largest. */
  readonly tasks: number;
  readonly measure: (session: Session, sizes: Sizes) => Promise<Measured>;
}

const once = (measure: Variant['measure']): readonly Variant[] => [
  { label: '', tasks: 0, measure },
];

export function variantsOf(shape: Shape, sizes: Sizes): readonly Variant[] {
  switch (shape) {
    // What differs is in the tunings: runs of twenty tasks, tasks of many tenants.
    case 'steady':
    case 'pipeline':
    case 'tenants':
      return once(measureSteady);
    case 'single':
      return once(measureSingleAndMany);
    case 'submit':
      return once(measureSubmit);
    case 'drain':
      return once((session) => measureDrain(session, { waiting: sizes.drainTasks }));
    case 'latency':
      return once(measureLatency);
    case 'cron':
      return once(measureCron);
    case 'backlog':
      return [sizes.drainTasks, ...sizes.backlogTasks].map((waiting) => ({
        label: `${waiting.toLocaleString('en')} waiting`,
        tasks: waiting,
        measure: (session) =>
          measureDrain(session, { waiting, drained: Math.min(waiting, sizes.backlogDrained) }),
      }));
    case 'history':
      return sizes.historyTasks.map((ended) => ({
        label: `${ended.toLocaleString('en')} ended`,
        tasks: ended,
        measure: (session) => measureHistory(session, sizes, ended),
      }));
    case 'idle':
      return once(measureIdle);
  }
}
