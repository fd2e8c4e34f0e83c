import {
  type Command,
  inboxId,
  partitionOf,
  type Random,
  type RunId,
  type Saying,
  type Word,
} from '@signalbox/engine';
import type { InboxEntry } from '@signalbox/store';

/** What is needed to send a word off. */
export interface Post {
  readonly partitions: number;
  readonly random: Random;
  now(): number;
}

/** In the head of an entry, where a submission has what was said of its run. */
interface WordHead {
  readonly word: Saying;
}

const TWO_32 = 2 ** 32;

/** A word as an entry of the inbox that it goes to. */
export function entryOfWord({ tenant, saying, payload }: Word, post: Post): InboxEntry {
  const { partitions, random } = post;
  const { job } = saying;
  const isToTask = saying.kind === 'nestedEnded';
  const partition = isToTask ? saying.to.partition : partitionOf(tenant, job, partitions);
  const atMs = post.now();
  const [randomHigh, randomLow] = [random.next() * TWO_32, random.next() * TWO_32];
  const head: WordHead = { word: saying };
  return {
    id: inboxId({ ms: atMs, partition, randomHigh, randomLow }),
    partition,
    kind: 'message',
    tenant,
    job,
    class: 0,
    head: JSON.stringify(head),
    input: payload,
    key: null,
    atMs,
  };
}

/** The word that an entry is; null for a submission. */
export function wordOfEntry({ kind, head }: InboxEntry): Saying | null {
  if (kind !== 'message') return null;
  return (JSON.parse(head) as WordHead).word;
}

/** What a word asks of its partition. `holder`: the run that has the key it speaks of. */
export function commandOfWord(entry: InboxEntry, word: Saying, holder: RunId | null): Command {
  const { partition, tenant, input: output } = entry;
  switch (word.kind) {
    case 'nestedEnded': {
      const { to, job: _, ...ended } = word;
      return { ...ended, partition, seq: to.seq, output };
    }
    case 'cancelNested':
      return { kind: 'cancelNested', partition, tenant, key: word.key, holder, of: word.of };
    case 'raiseNested': {
      const { key, of, class: klass } = word;
      return { kind: 'raiseNested', partition, tenant, key, holder, of, class: klass };
    }
  }
}
