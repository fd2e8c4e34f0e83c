import type { Ref } from '@signalbox/protocol/link';
import type { Finish } from './held-attempt.ts';

/** The result of an attempt for which the node sent a field that this worker cannot read. */
export function unreadableFinish(ref: Ref, field: string): Finish {
  const error = `the worker cannot read the field ${field} that the node sent`;
  const result = { kind: 'failed', error, class: 'permanent' } as const;
  return { kind: 'finish', ref, result, output: null };
}
