import type { Evidence } from '../evidence.ts';
import { runKey } from '../names.ts';
import type { StreamLog } from '../stream-log.ts';

/** Facts of one group; its last place stands for all of it. */
export const PLACES = 1_000_000;

/** A fact in the journal of a partition: where it is, and when it was committed. */
interface Place {
  readonly at: number;
  readonly t: number;
  readonly tenant: string;
  readonly run: string;
}

/** Where the journal tells of which tenant's runs. */
export class ToldEvents {
  /** By partition, in order. */
  readonly #places = new Map<number, Place[]>();

  readonly #ends = new Map<string, { at: number; t: number }>();

  constructor({ journal, runs }: Evidence) {
    const tenants = new Map(runs.map(({ run }) => [runKey(run.id), run.tenant]));
    for (const { partition, seq, facts, t } of journal) {
      const places = this.#places.get(partition) ?? [];
      this.#places.set(partition, places);
      for (const [index, packed] of facts.entries()) {
        if (packed.kind === 'pagedInAt' || packed.kind === 'scheduleFact') continue;
        const of =
          packed.kind === 'submittedAt'
            ? packed.run.seq
            : packed.kind === 'endedAt'
              ? packed.seq
              : packed.fact.seq;
        const run = runKey({ partition, seq: of });
        const at = seq * PLACES + index;
        places.push({ at, t, tenant: tenants.get(run) ?? '', run });
        if (packed.kind === 'endedAt') this.#ends.set(run, { at, t });
      }
    }
  }

  /** Behind its end only others are told of a run. */
  endOf(run: string): number {
    return this.#ends.get(run)?.at ?? Number.POSITIVE_INFINITY;
  }

  /** When its end was committed. */
  endedAtMs(run: string): number {
    return this.#ends.get(run)?.t ?? Number.POSITIVE_INFINITY;
  }

  /** The last place of a partition that was committed by then. */
  positionAt(partition: number, ms: number): number {
    return this.#places.get(partition)?.findLast(({ t }) => t <= ms)?.at ?? -1;
  }

  /** How many places of it lie between the two, both left out. */
  between(log: StreamLog, partition: number, from: number, to: number): number {
    let count = 0;
    for (const { at } of this.after(log, partition, from)) {
      if (at >= to) break;
      count++;
    }
    return count;
  }

  /** The places of the stream behind this one, in order. */
  *after(log: StreamLog, partition: number, from: number): Generator<Place> {
    const places = this.#places.get(partition) ?? [];
    const run = log.run === null ? null : runKey(log.run);
    for (let i = firstAfter(places, from); i < places.length; i++) {
      const place = places[i] as Place;
      if (place.tenant === log.tenant && (run === null || run === place.run)) yield place;
    }
  }
}

function firstAfter(places: readonly Place[], from: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] as Place).at > from) high = middle;
    else low = middle + 1;
  }
  return low;
}
