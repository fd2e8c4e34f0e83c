import type { Answer, Command, RunHead, SubmittedRun } from '@signalbox/engine';
import type { AppendResult } from '@signalbox/store';
import { refusedReserved } from './refused.ts';

export interface Holder {
  readonly partition: number;
  readonly seq: number;
  readonly ms: number;
}

/** Who has a key that a commit was refused for: a run, or the inbox entry that reserves it. */
export type KeyHolder =
  | { readonly kind: 'run'; readonly run: Holder }
  | { readonly kind: 'entry'; readonly entry: string };

/** The keys that a commit was refused for. */
export class TakenKeys {
  readonly #holders = new Map<string, KeyHolder>();

  constructor({ keys, reserved }: Pick<AppendResult & { kind: 'keyTaken' }, 'keys' | 'reserved'>) {
    for (const { tenant, key, run } of keys) {
      const { partition, seq, ms } = run;
      this.#holders.set(`${tenant}\0${key}`, { kind: 'run', run: { partition, seq, ms } });
    }
    for (const { tenant, key, entry } of reserved) {
      this.#holders.set(`${tenant}\0${key}`, { kind: 'entry', entry });
    }
  }

  get size(): number {
    return this.#holders.size;
  }

  get(tenant: string, key: string): KeyHolder | undefined {
    return this.#holders.get(`${tenant}\0${key}`);
  }

  /** Whether another than this run has the key. */
  isTakenFrom(run: Holder, { tenant, key }: { tenant: string; key: string }): boolean {
    const holder = this.get(tenant, key);
    if (holder === undefined) return false;
    return !isRun(holder, run);
  }

  /** Who has the key that a submission asks for; what its entry became comes before its own key. */
  of(tenant: string, { key, inbox }: RunHead): KeyHolder | undefined {
    const ofEntry = inbox === undefined ? undefined : this.get(tenant, inbox);
    return ofEntry ?? (key === undefined ? undefined : this.get(tenant, key));
  }
}

/** A submission that never happened, because somebody else has its key or that of its request. */
export interface Dropped {
  readonly submitted: SubmittedRun;
  /** Where it waits in the store, if it was parked. */
  readonly lane: string | null;
  /** The first of its request, or itself: it carries the key. */
  readonly firstSeq: number;
  readonly holder: KeyHolder;
}

/** Found by partition and seq, so that dropping many costs one pass over what waits. */
export class DroppedSubmissions {
  readonly #byPartition = new Map<number, Map<number, Dropped>>();

  add(partition: number, dropped: Dropped): void {
    const bySeq = this.#byPartition.get(partition) ?? new Map<number, Dropped>();
    bySeq.set(dropped.submitted.seq, dropped);
    this.#byPartition.set(partition, bySeq);
  }

  of(partition: number): ReadonlyMap<number, Dropped> | undefined {
    return this.#byPartition.get(partition);
  }

  get(partition: number, seq: number): Dropped | undefined {
    return this.#byPartition.get(partition)?.get(seq);
  }

  has(partition: number, seq: number): boolean {
    return this.get(partition, seq) !== undefined;
  }

  *entries(): Iterable<readonly [number, Dropped]> {
    for (const [partition, bySeq] of this.#byPartition) {
      for (const dropped of bySeq.values()) yield [partition, dropped];
    }
  }
}

/** The answer for a submission whose key is held, `offset` behind the first of its request. */
export function answerOfHolder(holder: KeyHolder, offset: number): Answer {
  if (holder.kind === 'entry') return refusedReserved(holder.entry);
  const { partition, seq, ms } = holder.run;
  return { kind: 'duplicate', partition, seq: seq + offset, ms };
}

/**
 * What becomes of an answer to a command when submissions are dropped: it stays, becomes that of
 * the holder, or is to be decided again. The last is for a submission that equals a dropped one by
 * its unique value only: the holder has another key and nothing to do with it.
 */
export function answerAfterDrop(params: {
  answer: Answer;
  command: Command;
  /** What carries the key: the command's own head, or that of the first of its request. */
  head: RunHead | null;
  taken: TakenKeys;
  dropped: DroppedSubmissions;
  /** Its group was refused: a claim among it was refused as well. */
  isRefused: boolean;
}): Answer | 'again' {
  const { answer, command, head, taken, dropped, isRefused } = params;
  if (command.kind !== 'submit') return answer;
  if (answer.kind !== 'accepted' && answer.kind !== 'duplicate') return answer;
  const found = dropped.get(answer.partition, answer.seq);
  const holder = head === null ? undefined : taken.of(command.spec.tenant, head);
  // The key was kept for this very submission, from the one that it was compared with.
  const isForIt = holder?.kind === 'entry' && holder.entry === head?.inbox;
  if (found !== undefined) {
    if (isForIt) return 'again';
    const isOwn = answer.kind === 'accepted' || isSame(holder, found.holder);
    if (isOwn) return answerOfHolder(found.holder, answer.seq - found.firstSeq);
    // Equal by its unique value only: its own key may be taken too, by another than the dropped one's. Of a
    // request only the first run is known, and may not be of it: its others are decided again.
    const isSingle = holder !== undefined && head?.batch === undefined;
    return isSingle ? answerOfHolder(holder, 0) : 'again';
  }
  if (answer.kind === 'accepted' || holder === undefined || !isRefused) return answer;
  return isRun(holder, answer) || head?.batch !== undefined ? answer : answerOfHolder(holder, 0);
}

function isSame(a: KeyHolder | undefined, b: KeyHolder): boolean {
  if (a?.kind === 'entry') return b.kind === 'entry' && a.entry === b.entry;
  return a !== undefined && isRun(b, a.run);
}

export function isRun(holder: KeyHolder, { partition, seq }: Omit<Holder, 'ms'>): boolean {
  return holder.kind === 'run' && holder.run.partition === partition && holder.run.seq === seq;
}
