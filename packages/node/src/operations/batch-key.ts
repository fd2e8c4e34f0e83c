import type { Command, RunHead } from '@signalbox/engine';
import { slicesOf } from '../loop/index.ts';

type Submit = Command & { kind: 'submit' };

/**
 * Puts a batch under the key of its request, so that the request can be repeated. What it asks of
 * one partition is decided in one step and numbered in a row: one stored key on the first of them
 * stands for all. Where a submission may turn out to be a run that is there already, by a key or a
 * unique value of its own, they are not in a row, and each gets a key derived from the request's.
 */
export function underKey(commands: readonly Submit[], key: string): Submit[] {
  const keyed = [...commands];
  const setHead = (i: number, more: RunHead): void => {
    const command = commands[i] as Submit;
    keyed[i] = { ...command, head: { ...command.head, ...more } };
  };
  if (commands.some(({ head }) => head.key !== undefined || head.unique !== undefined)) {
    for (const [i, { head }] of commands.entries()) {
      if (head.key === undefined) setHead(i, { key: `item/${i}/${key}` });
    }
    return keyed;
  }
  for (const { partition, indexes } of slicesOf(commands)) {
    setHead(indexes[0] as number, { key: `batch/${partition}/${key}`, batch: indexes.length });
  }
  return keyed;
}
