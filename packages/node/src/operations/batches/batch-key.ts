import { createHash } from 'node:crypto';
import { type Command, type RunHead, reservedKey } from '@signalbox/engine';
import { slicesOf } from '../../loop/index.ts';

type Submit = Command & { kind: 'submit' };

/** A batch under the key of its request. */
export interface KeyedBatch {
  readonly commands: readonly Submit[];
  /** Decided and durable before the rest: if it belongs to another content, nothing else is made. */
  readonly first: readonly number[];
  readonly rest: readonly number[];
  /** The request's key, where each submission has a key of its own and none carries it; else null. */
  readonly unanchored: string | null;
  /** Each stands for itself: some have a key or a unique value of their own. */
  readonly isMixed: boolean;
}

/**
 * Puts a batch under the key of its request, so that the request can be repeated. What it asks of
 * one partition is decided in one step and numbered in a row: one stored key on the first of them
 * stands for all. The key of the first partition is that of the whole request, the same for any
 * content (B1), and says what the content is where that is more than this partition's (B2). So other
 * content is refused there, before anything of it exists elsewhere.
 *
 * Where a submission may turn out to be a run that is there already, by a key or a unique value of
 * its own, they are not in a row, and each gets a key derived from the request's. One without a key of
 * its own then has the request's key and says what the content is; it is decided before the others.
 */
export function underKey(commands: readonly Submit[], key: string): KeyedBatch {
  const anchorKey = reservedKey(`/${key}`);
  const isMixed = commands.some((command) => !isPlain(command));
  const keyed = [...commands];
  const setHead = (i: number, more: RunHead): void => {
    const command = commands[i] as Submit;
    keyed[i] = { ...command, head: { ...command.head, ...more } };
  };
  if (isMixed) {
    const all = [...commands.keys()];
    const digest = digestOf(commands);
    const plain = commands.findIndex(isPlain);
    const anchor = plain >= 0 ? plain : commands.findIndex(({ head }) => head.key === undefined);
    for (const [i, { head }] of commands.entries()) {
      if (i === anchor) setHead(i, { key: anchorKey, digest });
      else if (head.key === undefined) setHead(i, { key: reservedKey(`#${i}/${key}`) });
    }
    if (anchor < 0)
      return { commands: keyed, first: all, rest: [], isMixed, unanchored: anchorKey };
    const rest = all.filter((i) => i !== anchor);
    return { commands: keyed, first: [anchor], rest, isMixed, unanchored: null };
  }
  const [slice, ...others] = slicesOf(commands);
  const first = slice?.indexes ?? [];
  const digest = others.length === 0 ? null : digestOf(commands);
  const said = digest === null ? {} : { digest };
  setHead(0, { key: anchorKey, batch: first.length, ...said });
  for (const { partition, indexes } of others) {
    const more = { key: reservedKey(`${partition}/${key}`), batch: indexes.length };
    setHead(indexes[0] as number, more);
  }
  const rest = others.flatMap(({ indexes }) => indexes).sort((a, b) => a - b);
  return { commands: keyed, first, rest, isMixed, unanchored: null };
}

function isPlain({ head, spec }: Submit): boolean {
  return head.key === undefined && head.unique === undefined && !spec.exclusive;
}

/** Jobs in their order, and which keys and unique values they have. Inputs are not part of it. */
function digestOf(commands: readonly Submit[]): string {
  const hash = createHash('sha256');
  for (const { spec, head } of commands) {
    hash.update(JSON.stringify([spec.job, head.key, head.unique]));
  }
  return hash.digest('base64url').slice(0, 22);
}
