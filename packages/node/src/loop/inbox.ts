import type { Answer, Command, Engine, RunHead, RunId, Saying } from '@signalbox/engine';
import { type InboxEntry, inboxEntryBytes, type Store, type StoreError } from '@signalbox/store';
import { asStoreError } from './committer.ts';
import { eventsOf, isOfEvents } from './inbox-events.ts';
import { itemsOf } from './inbox-request.ts';
import { PollBackOff } from './poll-back-off.ts';
import type { LoopPorts } from './ports.ts';
import type { Specs } from './specs.ts';
import { toSubmitted } from './take-over.ts';
import { commandOfWord, wordOfEntry } from './words.ts';

const PAGE = 500;
const PAGE_BYTES = 16_777_216;
/** Half a minute with the usual time between looks. */
const LOOKS_ALONE = 6;
const RENEWED_AFTER_MS = 86_400_000;

/** An entry that has been handed to the loop. */
export interface Taken {
  readonly entry: string;
  /** What became of it is durable, or nothing came of it. */
  settled(answers: readonly Answer[]): void;
}

interface InboxParams {
  readonly store: Store;
  readonly ports: LoopPorts;
  readonly engine: Engine;
  readonly specs: Specs;
  readonly pollMs: number;
  livePartitions(): number[];
  /** No other node is there that could put anything. */
  isAlone(): boolean;
  /** Hands commands of one partition to the loop, with the entry that they take out. */
  deliver(commands: readonly [Command, ...Command[]], taken: Taken): void;
  storeFailed(error: StoreError): void;
}

/**
 * What others have put down for the partitions of this node: submissions, events, and words of other
 * runs. It is durable there, and leaves in the commit in which it is heard.
 */
export class Inbox {
  readonly #p: InboxParams;
  readonly #looks = new PollBackOff(LOOKS_ALONE);
  #cancelPoll: () => void = () => {};
  #polling = false;
  /** Something came while a look was under way that may not have seen it. */
  #hurried = false;
  /** Entries that have been handed over: what is read of them again is passed over. */
  readonly #underWay = new Set<string>();
  /** Of these, entries that are so no more: the next look sees what the store makes of them. */
  readonly #settled = new Set<string>();
  /** The last look has left entries behind. */
  #isBehind = false;
  /** Partitions for which the last look has found nothing; what was refused comes again at the next. */
  #emptyOf = '';
  #stopped = false;

  constructor(params: InboxParams) {
    this.#p = params;
  }

  start(): void {
    this.#cancelPoll = this.#p.ports.after(this.#p.pollMs, () => {
      if (this.#looks.isDue(this.#mayPassOver())) void this.#look();
      else this.start();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelPoll();
  }

  /** Something has just been put there: it need not wait for its turn. */
  hurry(): void {
    this.#hurried = true;
    if (this.#stopped || this.#polling) return;
    this.#cancelPoll();
    void this.#look();
  }

  /** Not where a partition has come since: its inbox may be full. */
  #mayPassOver(): boolean {
    return this.#p.isAlone() && this.#p.livePartitions().join() === this.#emptyOf;
  }

  async #look(): Promise<void> {
    if (this.#stopped) return;
    this.#polling = true;
    this.#hurried = false;
    for (const entry of this.#settled) this.#underWay.delete(entry);
    this.#settled.clear();
    const partitions = this.#p.livePartitions();
    try {
      if (partitions.length > 0) {
        const query = { partitions, limit: PAGE, bytes: PAGE_BYTES };
        const read = await this.#p.store.readInbox(query);
        const bytes = read.reduce((sum, entry) => sum + inboxEntryBytes(entry), 0);
        this.#isBehind = read.length === PAGE || bytes >= PAGE_BYTES;
        this.#emptyOf = read.length === 0 ? partitions.join() : '';
        const entries = read.filter(({ id }) => !this.#underWay.has(id));
        // The clocks of two nodes differ: an event that was sent to a run just submitted must not come
        // before it.
        for (const entry of entries) if (!isOfEvents(entry)) await this.#takeInReadable(entry);
        for (const entry of entries) if (isOfEvents(entry)) this.#hear(entry);
      }
    } catch (error) {
      this.#p.storeFailed(asStoreError(error));
    }
    this.#polling = false;
    if (this.#stopped) return;
    if (this.#hurried) this.hurry();
    else this.start();
  }

  /** An entry whose job or run is damaged waits until that is repaired, and keeps no other waiting. */
  async #takeInReadable(entry: InboxEntry): Promise<void> {
    try {
      await this.#takeIn(entry);
    } catch (error) {
      if (asStoreError(error).kind !== 'damaged') throw error;
    }
  }

  /** An entry was acknowledged to its client, so it runs even if its job has been deleted since. */
  async #takeIn(entry: InboxEntry): Promise<void> {
    const { tenant, partition } = entry;
    const word = wordOfEntry(entry);
    if (word !== null) return this.#hearWord(entry, word);
    const commands: Command[] = [];
    for (const { job, class: klass, head, input, isNew } of itemsOf(entry)) {
      const spec = await this.#p.specs.last(tenant, job);
      const kept = await this.#keepable(entry, input);
      if (spec === null || kept === undefined || this.#stopped) return;
      const submit = { kind: 'submit', partition, spec, head, class: klass, input: kept } as const;
      commands.push(isNew ? { ...submit, isNew } : submit);
    }
    const [first, ...others] = commands;
    if (first !== undefined) this.#handOver([first, ...others], entry);
  }

  /** The input of an entry that waited for days may lie in a blob that would go before the run does. */
  async #keepable({ tenant, atMs }: InboxEntry, input: Uint8Array | null) {
    const { ports, engine } = this.#p;
    if (input === null || ports.renewPayload === undefined) return input;
    if (engine.core.now - atMs < RENEWED_AFTER_MS) return input;
    // Left where it is for now: without its input an acknowledged run must not start.
    return ports.renewPayload(tenant, input).catch(() => undefined);
  }

  #hear(entry: InboxEntry): void {
    const [first, ...others] = eventsOf(entry);
    if (first !== undefined && !this.#stopped) this.#handOver([first, ...others], entry);
  }

  #handOver(commands: readonly [Command, ...Command[]], { id: entry }: InboxEntry): void {
    this.#underWay.add(entry);
    const settled = (answers: readonly Answer[]): void => {
      this.#settled.add(entry);
      // What was refused comes again at its time: at once it would be refused again, in a circle.
      const isTaken = answers.every(({ kind }) => kind !== 'refused');
      if (isTaken && this.#isBehind && this.#settled.size === this.#underWay.size) this.hurry();
    };
    this.#p.deliver(commands, { entry, settled });
  }

  /** A word of another partition; what it is about may be parked, and has to be there for it. */
  async #hearWord(entry: InboxEntry, word: Saying): Promise<void> {
    const { tenant, partition } = entry;
    const isAboutKey = word.kind !== 'nestedEnded';
    const [held] = isAboutKey ? await this.#p.store.readKeys([{ tenant, key: word.key }]) : [];
    const holder = held?.run ?? null;
    const fetchIn = holder === null ? null : await this.#fetchIn(tenant, partition, holder);
    if (this.#stopped || fetchIn === 'again') return;
    const command = commandOfWord(entry, word, holder);
    this.#handOver(fetchIn === null ? [command] : [fetchIn, command], entry);
  }

  /**
   * What brings in the parked run that an entry is about; null where nothing has to. `again`: the
   * partition was lost while the run was read, and the entry is left for the next look. Handed over
   * without its run it would be taken as if the run had ended.
   */
  async #fetchIn(tenant: string, partition: number, id: RunId): Promise<Command | null | 'again'> {
    const { books } = this.#p.engine.core;
    const book = books.get(partition);
    if (id.partition !== partition) return null;
    if (book === undefined) return 'again';
    if (book.runs.has(id.seq)) return null;
    const stored = await this.#p.store.getRun({ tenant, id });
    if (stored === null || stored.end !== null || stored.run.head === '') return null;
    const { lane } = JSON.parse(stored.run.head) as RunHead;
    if (lane === undefined) return null;
    const { job, jobVersion: version } = stored.run;
    const spec = await this.#p.specs.load({ tenant, job, version });
    if (books.get(partition) !== book) return 'again';
    return { kind: 'fetchIn', partition, lane, run: toSubmitted(stored.run, spec) };
  }
}
