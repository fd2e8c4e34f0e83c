import type { Class, RunHead } from '@signalbox/engine';
import type { InboxEntry } from '@signalbox/store';

/** One submission of an inbox entry, as it becomes a run. */
export interface InboxItem {
  readonly job: string;
  readonly class: Class;
  readonly head: RunHead;
  readonly input: Uint8Array | null;
  /** Its client was told that it is a new run. */
  readonly isNew: boolean;
}

/** In the entry's head, one for each submission: job, class, head, length of its input. */
type PackedItem = readonly [string, Class, RunHead, number | null];

/** What the head of an entry says beside the head of its run. */
interface EntryHead extends RunHead {
  readonly isNew?: true;
}

/** The head of an entry with one submission. */
export function packHead(head: RunHead, isNew: boolean): string {
  const packed: EntryHead = isNew ? { ...head, isNew } : head;
  return JSON.stringify(packed);
}

/**
 * A request under one key waits as one entry: the owner then takes all of it or nothing, under the
 * same key as if the request had come to it directly, so that both ways together make it once.
 */
export function packRequest(
  items: readonly Omit<InboxItem, 'isNew'>[],
): Pick<InboxEntry, 'kind' | 'job' | 'class' | 'head' | 'input'> {
  const [first] = items;
  if (first === undefined) throw new Error('a request has submissions');
  const packed = items.map(
    ({ job, class: klass, head, input }): PackedItem => [job, klass, head, input?.length ?? null],
  );
  const input = Buffer.concat(items.flatMap((item) => item.input ?? []));
  const head = JSON.stringify({ batch: packed });
  return { kind: 'batch', job: first.job, class: first.class, head, input };
}

/** The submissions of an entry: one, or all of a request. The first has the key and the alias. */
export function itemsOf(entry: InboxEntry): readonly InboxItem[] {
  const { job, class: priority, input } = entry;
  const named = { ...(entry.key === null ? {} : { key: entry.key }), inbox: entry.id };
  if (entry.kind === 'submission') {
    const kept = entry.head === '' ? {} : (JSON.parse(entry.head) as EntryHead);
    const { isNew = false, ...head } = kept;
    return [{ job, class: priority, head: { ...head, ...named }, input, isNew }];
  }
  if (entry.kind !== 'batch') return [];
  const { batch } = JSON.parse(entry.head) as { batch: readonly PackedItem[] };
  const items = unpack(batch, input ?? new Uint8Array());
  const [first, ...others] = items;
  if (first === undefined) return [];
  return [{ ...first, head: { ...first.head, ...named, batch: items.length } }, ...others];
}

function unpack(packed: readonly PackedItem[], inputs: Uint8Array): InboxItem[] {
  let at = 0;
  return packed.map(([job, klass, head, length]) => {
    // An own allocation: a slice would keep the inputs of the whole request alive for each run.
    const input = length === null ? null : inputs.slice(at, at + length);
    at += length ?? 0;
    // Only submissions that are new runs share a key and consecutive numbers.
    return { job, class: klass, head, input, isNew: true };
  });
}
