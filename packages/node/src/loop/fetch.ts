import type { Answer, Command, RunHead, RunId } from '@signalbox/engine';
import type { Store } from '@signalbox/store';
import type { CommitLoop } from './loop.ts';
import { isAside } from './reader.ts';
import { refused } from './refused.ts';
import { toSubmitted } from './take-over.ts';

/**
 * Carries out a command about one run that may be parked in the store: if memory does not have it,
 * it is brought in first. Answers `not_found` for ended, absent and foreign runs.
 */
export async function executeOnRun(params: {
  loop: CommitLoop;
  store: Store;
  tenant: string;
  id: RunId;
  /** About the run. */
  command: Command;
}): Promise<Answer> {
  const { loop, store, tenant, id, command } = params;
  if (!loop.owns(id.partition)) return refused('not_owner');
  const book = loop.engine.core.books.get(id.partition);
  const live = book?.runs.get(id.seq);
  if (live !== undefined) {
    if (live.spec.tenant !== tenant || live.ms !== id.ms) return NOT_FOUND;
    return loop.execute(command);
  }
  if (book?.aside.has(id.seq)) throw isAside(id);
  const stored = await store.getRun({ tenant, id });
  if (stored === null || stored.end !== null) return NOT_FOUND;
  const head = stored.run.head === '' ? {} : (JSON.parse(stored.run.head) as RunHead);
  if (head.lane === undefined) return loop.execute(command);
  const { job, jobVersion: version } = stored.run;
  const spec = await loop.specs.load({ tenant, job, version });
  const run = toSubmitted(stored.run, spec);
  // What was read belongs to an ownership that has ended since.
  if (loop.engine.core.books.get(id.partition) !== book) return refused('not_owner');
  await loop.execute({ kind: 'fetchIn', partition: id.partition, lane: head.lane, run });
  return loop.execute(command);
}

const NOT_FOUND: Answer = {
  kind: 'refused',
  code: 'not_found',
  message: 'there is no live run with this id',
};
