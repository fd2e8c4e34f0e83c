import { type Answer, type Command, entryKey, type RunHead } from '@signalbox/engine';
import type { AppendResult } from '@signalbox/store';
import { refused, refusedReserved } from './refused.ts';

export interface Holder {
  readonly partition: number;
  readonly seq: number;
  readonly ms: number;
}

/** What has a key that a commit was refused for: a run, or the inbox entry that reserves it. */
export type KeyHolder =
  | { readonly kind: 'run'; readonly run: Holder }
  | { readonly kind: 'entry'; readonly entry: string }
  /** Its row cannot be read. */
  | { readonly kind: 'damaged' };

export type Refusal = Pick<AppendResult & { kind: 'keyTaken' }, 'keys' | 'reserved' | 'damaged'>;

/** The keys that a commit was refused for. */
export class TakenKeys {
  readonly #holders = new Map<string, KeyHolder>();

  constructor({ keys, reserved, damaged = [] }: Refusal) {
    for (const { tenant, key, run } of keys) {
      const { partition, seq, ms } = run;
      this.#holders.set(nameOf(tenant, key), { kind: 'run', run: { partition, seq, ms } });
    }
    for (const { tenant, key, entry } of reserved) {
      this.#holders.set(nameOf(tenant, key), { kind: 'entry', entry });
    }
    for (const { tenant, key } of damaged) {
      this.#holders.set(nameOf(tenant, key), { kind: 'damaged' });
    }
  }

  /**
   * What is said of these keys, which are those of one mail, and what earlier refusals have shown of it. No
   * more than that: a commit may be refused for thousands of mails, each of which would hold all of it.
   */
  only(
    keys: Iterable<{ readonly tenant: string; readonly key: string }>,
    before: TakenKeys = NOTHING_TAKEN,
  ): TakenKeys {
    const taken = new TakenKeys(NONE);
    for (const [name, holder] of before.#holders) taken.#holders.set(name, holder);
    for (const { tenant, key } of keys) {
      const name = nameOf(tenant, key);
      const holder = this.#holders.get(name);
      if (holder !== undefined) taken.#holders.set(name, holder);
    }
    return taken;
  }

  has(tenant: string, key: string): boolean {
    return this.#holders.has(nameOf(tenant, key));
  }

  /** The answer to a command whose key the store has refused; null where it is to be decided. */
  answerTo(command: Command): Answer | null {
    switch (command.kind) {
      case 'submit':
        return this.#answerToSubmit(command.spec.tenant, command.head);
      case 'cancelNested': {
        const holder = this.#holders.get(nameOf(command.tenant, command.key));
        if (holder === undefined) return null;
        if (holder.kind === 'damaged') return refused('damaged_key');
        // Heard again, it brings the run in that has the key: that may wait in the store.
        return holder.kind === 'run' ? refused('not_yet') : refusedReserved(holder.entry);
      }
      default:
        return null;
    }
  }

  /** What the entry of a submission became comes before its own key. */
  #answerToSubmit(tenant: string, { key, inbox }: RunHead): Answer | null {
    const ofEntry = inbox === undefined ? undefined : entryKey(inbox);
    for (const name of [ofEntry, key]) {
      const holder = name === undefined ? undefined : this.#holders.get(nameOf(tenant, name));
      if (holder?.kind === 'run') return { kind: 'duplicate', ...holder.run };
      if (holder?.kind === 'damaged') return refused('damaged_key');
      // A key that is reserved for this very submission is free for it.
      if (holder !== undefined && holder.entry !== inbox) return refusedReserved(holder.entry);
    }
    return null;
  }
}

const NONE: Refusal = { keys: [], reserved: [] };
const NOTHING_TAKEN = new TakenKeys(NONE);

function nameOf(tenant: string, key: string): string {
  return `${tenant}\0${key}`;
}
