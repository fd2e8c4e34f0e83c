import { isFannedOut, memberAt, Run, type Task } from '@signalbox/engine';
import { encodeBlobRef, PAYLOAD_INLINE_MAX } from '@signalbox/protocol';
import type { BlobStore } from '../blobs/blob-store.ts';
import { composeInput } from './compose-input.ts';
import { parentResult, parentsDocument, parseJson } from './parents-document.ts';

/** The input of an attempt, besides its definition. */
export interface ResolvedInput {
  readonly input: Uint8Array | null;
  /** JSON about the parents, or a reference to the blob that holds it; null without parents. */
  readonly parents: Uint8Array | null;
}

/** The input can never be resolved. */
export interface UnresolvableInput {
  readonly error: string;
}

/**
 * Resolves the inputs of tasks in graphs. A part that is too large for a message goes to the blob store first. The
 * children of a fan-out share one document about their parents, so it is built once.
 */
export class InputResolver {
  readonly #blobs: BlobStore | null;
  readonly #items = new WeakMap<Task | Run, Map<string, unknown>>();
  readonly #parents = new WeakMap<Task, Uint8Array | Promise<Uint8Array>>();

  constructor(blobs: BlobStore | null) {
    this.#blobs = blobs;
  }

  resolve(task: Task): ResolvedInput | UnresolvableInput | Promise<ResolvedInput> {
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
    const cached = this.#parents.get(owner);
    if (cached !== undefined) return cached;
    const document = parentsDocument(task);
    if (document === null) return null;
    const kept = this.#keep(task.run.spec.tenant, encoder.encode(JSON.stringify(document)));
    if (owner !== task && kept !== null && kept !== TOO_LARGE) {
      this.#parents.set(owner, kept);
      // This attempt is not sent and is requeued when its acceptance is overdue; the next attempt retries.
      if (kept instanceof Promise) kept.catch(() => this.#parents.delete(owner));
    }
    return kept;
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
      lists.set(path, memberAt(payloadOf(from), path));
    }
    return lists.get(path);
  }
}

/** The output of a task, or the input of a run. */
function payloadOf(from: Task | Run): unknown {
  if (!(from instanceof Run) && isFannedOut(from)) return parentResult(from);
  const bytes = from instanceof Run ? from.input : from.output;
  return bytes === null ? undefined : parseJson(bytes);
}

const encoder = new TextEncoder();
const TOO_LARGE = 'too large';
type Kept = Uint8Array | null | Promise<Uint8Array> | typeof TOO_LARGE;
