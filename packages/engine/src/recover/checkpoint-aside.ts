import type { AsideRun } from '../model/aside-run.ts';
import type { Book } from '../model/book.ts';
import { fromBase64, toBase64 } from './base64.ts';

/** A run that was set aside, in the header of a checkpoint. */
export type AsideLine = [
  seq: number,
  ms: number,
  tenant: string,
  saved: [job: string, version: number, line: readonly unknown[]] | null,
  /** As JSON; bytes are base64. */
  facts: [epoch: number, fact: string][],
];

/** No field of a fact has this name. */
const BYTES = '__bytes';

export function asideLines(book: Book): AsideLine[] {
  return [...book.aside.values()].map(({ seq, ms, tenant, saved, facts }) => [
    seq,
    ms,
    tenant,
    saved && [saved.job, saved.version, saved.line],
    facts.map(([epoch, fact]) => [epoch, JSON.stringify(fact, toText)]),
  ]);
}

export function decodeAside([seq, ms, tenant, saved, facts]: AsideLine): AsideRun {
  return {
    seq,
    ms,
    tenant,
    saved: saved && { job: saved[0], version: saved[1], line: saved[2] },
    facts: facts.map(([epoch, fact]) => [epoch, JSON.parse(fact, fromText)]),
  };
}

function toText(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? { [BYTES]: toBase64(value) } : value;
}

function fromText(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(BYTES in value)) return value;
  return fromBase64(value[BYTES] as string);
}
