import type { Metric, Registry } from 'prom-client';

export type LabelNames = readonly string[];
/** One value for each name, in the same order. */
export type LabelValues<L extends LabelNames> = { readonly [K in keyof L]: string };

/** One line of the text that is scraped. */
export interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

interface Branch<S> {
  readonly next: Map<string, Branch<S>>;
  series: S | null;
}

/**
 * The series of one metric, by the values of its labels. Finding one takes a look-up for each label
 * and none of the joining and hashing that would cost more than the task that is counted; whoever
 * counts often finds its series once and keeps it.
 */
export class SeriesByLabel<L extends LabelNames, S> {
  readonly #names: L;
  readonly #make: () => S;
  readonly #root: Branch<S> = { next: new Map(), series: null };
  readonly #all: { readonly labels: Readonly<Record<string, string>>; readonly series: S }[] = [];

  constructor(names: L, make: () => S) {
    this.#names = names;
    this.#make = make;
  }

  of(values: LabelValues<L>): S {
    let branch = this.#root;
    for (const value of values) {
      let next = branch.next.get(value);
      if (next === undefined) {
        next = { next: new Map(), series: null };
        branch.next.set(value, next);
      }
      branch = next;
    }
    branch.series ??= this.#add(values);
    return branch.series;
  }

  samples(of: (labels: Readonly<Record<string, string>>, series: S) => Sample[]): Sample[] {
    return this.#all.flatMap(({ labels, series }) => of(labels, series));
  }

  #add(values: LabelValues<L>): S {
    const series = this.#make();
    const labels = Object.fromEntries(this.#names.map((name, i) => [name, values[i] ?? '']));
    this.#all.push({ labels, series });
    return series;
  }
}

/** What the registry asks of a metric; its declared type names only the library's own classes. */
export interface Scraped {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'histogram';
  get(): Promise<unknown>;
}

export function register(registry: Registry, metric: Scraped): void {
  registry.registerMetric(metric as unknown as Metric<string>);
}
