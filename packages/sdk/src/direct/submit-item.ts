import type { SubmitItem } from '@signalbox/node/operations';
import type { PreparedSubmission } from '../backend.ts';

/** A submission as a node in this process takes it. */
export function submitItem({ head, input }: PreparedSubmission): SubmitItem {
  if (input === undefined) return head;
  if (typeof input === 'string') return { ...head, inputJson: input };
  return { ...head, inputBytes: input };
}
