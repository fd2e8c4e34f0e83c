import { isFannedOut, memberAt, Run, type Task } from '@signalbox/engine';
import { encodeBlobRef, PAYLOAD_INLINE_MAX } from '@signalbox/protocol';
import type { BlobStore } from '../blobs/blob-store.ts';
import { composeInput } from './compose-input.ts';
import { parentsDocument, parseJson, told } from './parents-document.ts';

/** What an attempt is given besides its definition. */
export interface Supply {
  readonly input: Uint8Array | null;
  /** JSON about its parents, or the reference to the blob that holds it; null where it has none. */
  readonly parents: Uint8Array | null;
}

/** Why it cannot be given, and never could be. */
export interface Unsuppliable {
  readonly error: string;
}

/**
 * Puts together what tasks of graphs are given. What is too large for a message goes to the blob
 * store first; children of one fan-out are told the same of their parents, so that is made once.
 */
export class Supplier {
  readonly #blobs: BlobStore | null;
  readonly #items = new WeakMap<Task | Run, Map<string, unknown>>();
  readonly #parents = new WeakMap<Task, Uint8Array | Promise<Uint8Array>>();

  constructor(blobs: BlobStore | null) {
    this.#blobs = blobs;
  }

  of(task: Task): Supply | Unsuppliable | Promise<Supply> {
    const composed = composeInput(task, (from, path) => this.#itemsOf(from, path));
    if ('error' in composed) return composed;
    const { input } = composed;
    const { tenant } = task.run.spec;
    const kept = input === task.run.input ? input : this.#keep(tenant, input);
    const parents = this.#parentsOf(task);
    if (kept === TOO_LARGE || parents === TOO_LARGE)
      return { error: 'this node has no blob store' };
    if (!(kept instanceof Promise) && !(parents instanceof Promise)) {
      return { input: kept, parents };
    }
    return Promise.all([kept, parents]).then(([one, other]) => ({ input: one, parents: other }));
  }

  #parentsOf(task: Task): Kept {
    const owner = task.part?.group ?? task;
    const known = this.#parents.get(owner);
    if (known !== undefined) return known;
    const document = parentsDocument(task);
    if (document === null) return null;
    const made = this.#keep(task.run.spec.tenant, encoder.encode(JSON.stringify(document)));
    if (owner !== task && made !== null && made !== TOO_LARGE) {
      this.#parents.set(owner, made);
      // Another attempt tries anew; that one is not sent, and comes back when it is not accepted.
      if (made instanceof Promise) made.catch(() => this.#parents.delete(owner));
    }
    return made;
  }

  #keep(tenant: string, bytes: Uint8Array | null): Kept {
    if (bytes === null || bytes.length <= PAYLOAD_INLINE_MAX) return bytes;
    if (this.#blobs === null) return TOO_LARGE;
    return this.#blobs.put(tenant, bytes).then(encodeBlobRef);
  }

  #itemsOf(from: Task | Run, path: string): unknown {
    let lists = this.#items.get(from);
    if (lists === undefined) {
      lists = new Map();
      this.#items.set(from, lists);
    }
    if (!lists.has(path)) {
      lists.set(path, memberAt(gaveOf(from), path));
    }
    return lists.get(path);
  }
}

/** What a task gave, or a run was given. */
function gaveOf(from: Task | Run): unknown {
  if (!(from instanceof Run) && isFannedOut(from)) return told(from);
  const bytes = from instanceof Run ? from.input : from.output;
  return bytes === null ? undefined : parseJson(bytes);
}

const encoder = new TextEncoder();
const TOO_LARGE = 'too large';
type Kept = Uint8Array | null | Promise<Uint8Array> | typeof TOO_LARGE;
