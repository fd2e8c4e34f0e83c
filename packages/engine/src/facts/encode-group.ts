import { assertNever } from '../model/assert.ts';
import type { Class } from '../model/classes.ts';
import { keysOfHead } from '../model/keys-of-head.ts';
import type { RunHead } from '../model/run.ts';
import type { RunId } from '../model/run-id.ts';
import type { Fact, RunEnded, RunFact, RunSubmitted, TaskAssigned } from './facts.ts';
import { type GraphFact, isGraphFact } from './graph-facts.ts';
import { encodeGraphLine } from './graph-lines.ts';
import { LineBytes } from './line-bytes.ts';
import { requireWhole as whole } from './require-whole.ts';
import { isScheduleFact } from './schedule-facts.ts';
import { encodeScheduleLine } from './schedule-lines.ts';
import { encodeTextInto } from './text.ts';

/**
 * One group of facts of one partition as the store keeps it: rows for what must be found by id
 * (submissions and ends), and a packed record that tells the whole order of events.
 *
 * The packed record is four bytes of text length, JSON lines, and behind them the raw payloads:
 *   line 0   [format, base time, names, payload lengths]
 *   line n   [code, …]   one fact; times relative to the base, names by their index
 * A code ends in the version of its fields: a reader knows every version for ever (golden files).
 */
export interface EncodedGroup {
  readonly body: Uint8Array;
  readonly factCount: number;
  readonly runs: readonly EncodedRun[];
  readonly ends: readonly EncodedEnd[];
  readonly parked: readonly EncodedParked[];
}

export interface EncodedRun {
  readonly id: RunId;
  readonly tenant: string;
  readonly job: string;
  readonly jobVersion: number;
  readonly class: Class;
  readonly head: string;
  readonly input: Uint8Array | null;
  readonly inputBytes: number;
  readonly keys: readonly string[];
}

export interface EncodedEnd {
  readonly id: RunId;
  readonly tenant: string;
  readonly state: string;
  readonly endedAtMs: number;
  readonly detail: string;
  readonly output: Uint8Array | null;
}

export interface EncodedParked {
  readonly lane: string;
  readonly sort: number;
  readonly tenant: string;
  readonly id: RunId;
}

export const GROUP_FORMAT = 1;

/** What most facts take; the buffer grows where they take more. */
const LINE_BYTES = 40;

export function encodeGroup(params: {
  partition: number;
  at: number;
  facts: readonly Fact[];
}): EncodedGroup {
  const { facts } = params;
  const writer = new GroupWriter(params);
  let i = 0;
  try {
    for (; i < facts.length; i++) writer.write(facts[i] as Fact);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RangeError(`the fact ${facts[i]?.kind} cannot be stored: ${why}`);
  }
  return writer.finish(facts.length);
}

class GroupWriter {
  readonly #partition: number;
  readonly #at: number;
  readonly #names: string[] = [];
  readonly #nameIndex = new Map<string, number>();
  readonly #payloads: Uint8Array[] = [];
  readonly #runs: EncodedRun[] = [];
  readonly #ends: EncodedEnd[] = [];
  readonly #parked: EncodedParked[] = [];
  readonly #lines: LineBytes;
  /** What one request submits often has one and the same head. */
  #lastHead: { readonly head: RunHead; readonly text: string } | null = null;

  readonly #lineWriter: Parameters<typeof encodeScheduleLine>[1] &
    Parameters<typeof encodeGraphLine>[1];

  constructor({ partition, at, facts }: Parameters<typeof encodeGroup>[0]) {
    this.#partition = partition;
    this.#at = at;
    this.#lines = new LineBytes(facts.length * LINE_BYTES);
    this.#lineWriter = {
      base: at,
      name: (text) => this.#name(text),
      payload: (bytes) => this.#payload(bytes),
    };
  }

  write(fact: Fact): void {
    switch (fact.kind) {
      case 'runSubmitted':
        return this.#submitted(fact);
      case 'runEnded':
        return this.#ended(fact);
      case 'taskAssigned':
        return this.#assigned(fact);
      default:
        this.#lines.text(`\n${this.#otherLine(fact)}`);
    }
  }

  finish(factCount: number): EncodedGroup {
    const lengths = this.#payloads.map((p) => p.length);
    const head = JSON.stringify([GROUP_FORMAT, this.#at, this.#names, lengths]);
    const lines = this.#lines.finish();
    const payloadBytes = lengths.reduce((sum, n) => sum + n, 0);
    const scratch = new Uint8Array(4 + head.length * 3 + lines.length + payloadBytes);
    const headBytes = encodeTextInto(head, scratch.subarray(4));
    scratch.set(lines, 4 + headBytes);
    new DataView(scratch.buffer).setUint32(0, headBytes + lines.length);
    let end = 4 + headBytes + lines.length;
    for (const payload of this.#payloads) {
      scratch.set(payload, end);
      end += payload.length;
    }
    return {
      body: scratch.subarray(0, end),
      factCount,
      runs: this.#runs,
      ends: this.#ends,
      parked: this.#parked,
    };
  }

  #submitted(fact: RunSubmitted): void {
    const { run, parked } = fact;
    const id = { ms: run.ms, partition: this.#partition, seq: run.seq };
    const tenant = run.spec.tenant;
    this.#runs.push({
      id,
      tenant,
      job: run.spec.job,
      jobVersion: run.spec.version,
      class: run.class,
      head: this.#head(run.head),
      input: run.input,
      inputBytes: run.inputBytes,
      keys: keysOfHead(run.head),
    });
    this.#begin('s1', run.seq, run.ms);
    this.#number(this.#name(tenant));
    if (parked !== null) this.#number(this.#name(parked.lane));
    this.#lines.text(']');
    if (parked === null) return;
    this.#parked.push({ lane: parked.lane, sort: whole(parked.sort), tenant, id });
  }

  #head(head: RunHead): string {
    if (this.#lastHead?.head !== head) this.#lastHead = { head, text: encodeHead(head) };
    return this.#lastHead.text;
  }

  #ended(fact: RunEnded): void {
    this.#ends.push({
      id: { ms: fact.ms, partition: this.#partition, seq: fact.seq },
      tenant: fact.tenant,
      state: fact.state,
      endedAtMs: fact.at,
      detail: fact.detail,
      output: fact.output,
    });
    // How the last task ended is in the end's row; recovery only needs to know that the run is over.
    this.#begin('e1', fact.seq, fact.at);
    this.#lines.text(',"');
    this.#lines.text(fact.state);
    this.#lines.text('"]');
  }

  #assigned(fact: TaskAssigned): void {
    const lines = this.#lines;
    lines.text('\n["a1",');
    lines.whole(fact.seq);
    this.#number(fact.task);
    this.#number(fact.at - this.#at);
    this.#number(fact.attempt);
    this.#number(this.#name(fact.worker));
    this.#number(fact.token);
    this.#number(fact.score);
    lines.text(']');
  }

  /** Of the facts that every task has; the lines of all others are put together as text. */
  #begin(code: string, seq: number, at: number): void {
    const lines = this.#lines;
    lines.text('\n["');
    lines.text(code);
    lines.text('",');
    lines.whole(seq);
    this.#number(at - this.#at);
  }

  #number(value: number): void {
    this.#lines.text(',');
    this.#lines.whole(value);
  }

  #otherLine(fact: Exclude<Fact, { kind: 'runSubmitted' | 'runEnded' | 'taskAssigned' }>): string {
    if (isScheduleFact(fact)) return encodeScheduleLine(fact, this.#lineWriter);
    return isGraphFact(fact) ? encodeGraphLine(fact, this.#lineWriter) : this.#line(fact);
  }

  #line(
    fact: Exclude<RunFact, GraphFact | { kind: 'runSubmitted' | 'runEnded' | 'taskAssigned' }>,
  ): string {
    switch (fact.kind) {
      case 'runsPagedIn': {
        const runs = fact.runs.map((r) => [
          whole(r.seq),
          this.#since(r.ms),
          this.#name(r.spec.tenant),
        ]);
        const cursor = fact.cursor && [
          whole(fact.cursor.sort),
          whole(fact.cursor.ms),
          whole(fact.cursor.seq),
        ];
        return JSON.stringify(['p1', this.#name(fact.lane), cursor, whole(fact.parkedLeft), runs]);
      }
      case 'runCancelRequested':
        return JSON.stringify(['c1', whole(fact.seq), this.#since(fact.at), fact.by, fact.reason]);
      case 'runClassChanged':
        return JSON.stringify([
          'l1',
          whole(fact.seq),
          this.#since(fact.at),
          whole(fact.class),
          fact.by,
          fact.reason,
        ]);
      case 'taskStarted':
        return `["b1",${this.#of(fact)}]`;
      case 'taskCheckpointed':
        return `["k1",${this.#of(fact)},${this.#payload(fact.state)}]`;
      case 'taskExtended':
        return `["x1",${this.#of(fact)},${this.#since(fact.hardAt)}]`;
      case 'taskSucceeded':
        return `["o1",${this.#of(fact)},${fact.output === null ? 'null' : this.#payload(fact.output)}]`;
      case 'taskRetryAt':
        return `["r1",${this.#of(fact)},"${fact.reason}",${JSON.stringify(fact.error)},${this.#since(fact.dueAt)},${whole(fact.memoryMb)}]`;
      case 'taskRequeued':
        return `["q1",${this.#of(fact)},"${fact.reason}"]`;
      case 'taskFailed':
        return `["f1",${this.#of(fact)},"${fact.reason}",${JSON.stringify(fact.error)}]`;
      case 'taskTimedOut':
        return `["t1",${this.#of(fact)},"${fact.reason}",${JSON.stringify(fact.error)}]`;
      case 'taskQuarantined':
        return `["n1",${this.#of(fact)},"${fact.reason}",${JSON.stringify(fact.error)}]`;
      case 'taskCancelled':
        return `["d1",${this.#of(fact)},"${fact.reason}"]`;
      case 'taskSkipped':
        return `["i1",${this.#of(fact)},"${fact.reason}"]`;
      default:
        return assertNever(fact);
    }
  }

  #of(fact: { seq: number; task: number; at: number; attempt: number }): string {
    return `${whole(fact.seq)},${whole(fact.task)},${this.#since(fact.at)},${whole(fact.attempt)}`;
  }

  #since(at: number): number {
    return whole(at - this.#at);
  }

  #name(name: string): number {
    let index = this.#nameIndex.get(name);
    if (index === undefined) {
      index = this.#names.length;
      this.#names.push(name);
      this.#nameIndex.set(name, index);
    }
    return index;
  }

  #payload(bytes: Uint8Array): number {
    this.#payloads.push(bytes);
    return this.#payloads.length - 1;
  }
}

/** Most say nothing: no text rather than that of an empty object. */
function encodeHead(head: RunHead): string {
  for (const _ in head) {
    requireNumbers(head);
    return JSON.stringify(head);
  }
  return '';
}

/** By name: a look at every member would cost each submission more than writing it down. */
function requireNumbers({ batch, dueAt, window, event, nested }: RunHead): void {
  if (batch !== undefined) whole(batch);
  if (dueAt !== undefined) whole(dueAt);
  if (window !== undefined) [window.at, window.planned].forEach(whole);
  if (event?.depth !== undefined) whole(event.depth);
  if (nested !== undefined) [nested.index, nested.since].forEach(whole);
}
