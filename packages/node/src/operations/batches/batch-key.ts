import { createHash } from 'node:crypto';
import { type Command, type RunHead, reservedKey } from '@signalbox/engine';
import { slicesOf } from '../../loop/index.ts';

type Submit = Command & { kind: 'submit' };

/** A batch under the key of its request. */
export interface KeyedBatch {
  readonly commands: readonly Submit[];
  /** Decided and durable before the rest: if the key belongs to other content, nothing else is created. */
  readonly first: readonly number[];
  readonly rest: readonly number[];
  /** The request's key, if every submission has its own key and none carries the request's; else null. */
  readonly unanchored: string | null;
  /** Some submissions have a key or a unique value of their own, so each is treated separately. */
  readonly isMixed: boolean;
}

/**
 * Derives keys for the submissions of a batch from the key of the request, so that the request can be repeated.
 * The submissions of one partition are decided in one step and get consecutive ids: one stored key on the first
 * stands for all. The key of the first partition is the request's, independent of content (B1). If the batch has
 * further partitions, that key also carries a digest of the whole content (B2). Other content under the same key is
 * therefore refused there, before any part of it exists elsewhere.
 *
 * If a submission may resolve to an existing run, by a key or a unique value of its own, ids are not consecutive,
 * and each submission gets a key derived from the request's. One submission without its own key then carries the
 * request's key and the digest; it is decided before the others.
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
  const content = digest === null ? {} : { digest };
  setHead(0, { key: anchorKey, batch: first.length, ...content });
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

/** Covers the jobs in order, and their keys and unique values, but not the inputs. */
function digestOf(commands: readonly Submit[]): string {
  const hash = createHash('sha256');
  for (const { spec, head } of commands) {
    hash.update(JSON.stringify([spec.job, head.key, head.unique]));
  }
  return hash.digest('base64url').slice(0, 22);
}
