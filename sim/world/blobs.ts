import { createHash } from 'node:crypto';
import { parseDetail, type RunId, taskOutput } from '@signalbox/engine';
import type { BlobStore } from '@signalbox/node/context';
import { type BlobRef, decodeBlobRef } from '@signalbox/protocol';
import type { StoredRun } from '@signalbox/store';
import type { Coverage } from '../coverage.ts';
import type { History } from '../history.ts';
import { runKey } from '../names.ts';
import type { Disk } from './disk.ts';

const DAY_MS = 86_400_000;

interface Blob {
  readonly bytes: Uint8Array;
  readonly day: number;
  /** By the clock of the disk that it rests on, which is never far off. */
  readonly putAtMs: number;
}

/**
 * Where payloads rest that are too large for the journal: one place for all nodes, without faults.
 * When something is collected, everything that is kept is searched for references to it.
 */
export class Blobs {
  readonly #blobs = new Map<string, Blob>();
  readonly #disk: Disk;
  readonly #history: History;
  readonly #coverage: Coverage;

  constructor(disk: Disk, history: History, coverage: Coverage) {
    this.#disk = disk;
    this.#history = history;
    this.#coverage = coverage;
  }

  /** As one process sees it: the day of a name is the later of its two clocks. */
  seenBy(clock: () => number): BlobStore {
    return {
      put: async (tenant, bytes) => this.put(tenant, bytes, clock()),
      get: async (tenant, name) => this.#blobs.get(`${tenant}/${name}`)?.bytes.slice() ?? null,
      collect: (beforeMs) => this.#collect(beforeMs),
    };
  }

  put(tenant: string, bytes: Uint8Array, nowMs: number): BlobRef {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const day = Math.floor(nowMs / DAY_MS);
    const name = `${sha256}-${day}`;
    const putAtMs = this.#disk.soonMs;
    this.#blobs.set(`${tenant}/${name}`, { bytes: bytes.slice(), day, putAtMs });
    return { name, bytes: bytes.length, sha256 };
  }

  async #collect(beforeMs: number): Promise<number> {
    const gone = new Set<string>();
    for (const [name, { day, putAtMs }] of this.#blobs) {
      if ((day + 1) * DAY_MS > beforeMs || putAtMs > beforeMs) continue;
      this.#blobs.delete(name);
      gone.add(name);
    }
    if (gone.size === 0) return 0;
    this.#coverage.sometimes('blob collected', gone.size);
    const missed = (await this.#references()).filter(({ blob }) => gone.has(blob));
    const needed = missed.map(({ blob, by }) => `${by} refers to ${blob}`);
    this.#history.add({ kind: 'blobs.collected', count: gone.size, needed });
    return gone.size;
  }

  /** Everything that the store would still give to a reader: inputs, outputs, and what waits. */
  async #references(): Promise<{ blob: string; by: string }[]> {
    const found: { blob: string; by: string }[] = [];
    const note = (tenant: string, payload: Uint8Array | null | undefined, by: string) => {
      const ref = payload == null ? null : decodeBlobRef(payload);
      if (ref !== null) found.push({ blob: `${tenant}/${ref.name}`, by });
    };
    const { runs, inbox } = await this.#disk.contents();
    for (const { run, end } of runs) {
      note(run.tenant, run.input, `the input of run ${runKey(run.id)}`);
      for (const output of outputsOf(run.id, end)) {
        note(run.tenant, output, `an output of run ${runKey(run.id)}`);
      }
    }
    for (const { id, tenant, input } of inbox) note(tenant, input, `inbox entry ${id}`);
    return found;
  }
}

/** The outputs of all tasks are in one row. */
function outputsOf({ ms }: RunId, end: StoredRun['end']): (Uint8Array | null)[] {
  if (end?.output == null) return [];
  const { output } = end;
  const detail = parseDetail(end.detail, ms);
  return detail.tasks.map((_, task) => taskOutput(detail, task, output));
}
