import { type Answer, type Command, DONE } from '../commands.ts';
import type { Core } from '../core/core.ts';
import { compareRunIds, formatRunId } from '../model/run-id.ts';
import { cancel } from './cancel.ts';
import { changeClass } from './change-class.ts';

/**
 * Nobody waits any more for the run under the key: it is cancelled, or must not begin. Which of the two
 * only the store can tell: a submission may be on its way, and memory forgets keys. So where the store
 * knows of none, the run that had waited claims the key, by the answer `duplicate`. The message stays
 * in the inbox and is read again, until the store says who has the key.
 */
export function cancelNested(core: Core, command: Command & { kind: 'cancelNested' }): Answer {
  const { partition, tenant, key, holder, of } = command;
  if (holder === null) {
    const known = core.keys.get(tenant, key, core.now);
    // The store was asked before that run was durable.
    if (known !== undefined && compareRunIds(known, of) !== 0) return NOT_YET;
    core.keys.set({ tenant, key, holder: of, group: core.groupNumber, at: core.now });
    return { kind: 'duplicate', ...of };
  }
  if (holder.partition === of.partition && holder.seq === of.seq) return DONE;
  const by = `run:${formatRunId(of)}`;
  const reason = 'the parent run no longer waits for this run';
  cancel(core, { kind: 'cancel', partition, seq: holder.seq, by, reason });
  return DONE;
}

/** PRI-13: whoever waits for the run under the key has become more urgent. It is never made less so. */
export function raiseNested(core: Core, command: Command & { kind: 'raiseNested' }): Answer {
  const { partition, holder, of, class: klass } = command;
  if (holder === null) return NOT_YET;
  const { seq } = holder;
  const run = core.books.get(partition)?.runs.get(seq);
  if (holder.partition !== partition || run === undefined || run.class <= klass) return DONE;
  const by = `run:${formatRunId(of)}`;
  const reason = 'the parent run has a higher priority';
  return changeClass(core, { kind: 'changeClass', partition, seq, class: klass, by, reason });
}

const NOT_YET: Answer = {
  kind: 'refused',
  code: 'unavailable',
  message: 'the nested run is not durable yet',
};
