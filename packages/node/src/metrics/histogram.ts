import {
  type LabelNames,
  type LabelValues,
  type Sample,
  type Scraped,
  SeriesByLabel,
} from './series.ts';

/** One series of a histogram: how many values came, and how many up to each bound. */
export class Observations {
  sum = 0;
  count = 0;
  readonly #bounds: readonly number[];
  /** Not cumulative: a value is counted where it belongs, and added up when somebody asks. */
  readonly #within: Float64Array;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#within = new Float64Array(bounds.length);
  }

  observe(value: number): void {
    this.sum += value;
    this.count++;
    const bounds = this.#bounds;
    for (let i = 0; i < bounds.length; i++) {
      if (value > (bounds[i] as number)) continue;
      this.#within[i] = (this.#within[i] as number) + 1;
      return;
    }
  }

  /** How many values were at most as large as each bound. */
  cumulative(): number[] {
    let sum = 0;
    return Array.from(this.#within, (count) => {
      sum += count;
      return sum;
    });
  }
}

/** A metric of distributions, one for each set of label values that was observed. */
export class Histogram<const L extends LabelNames> implements Scraped {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  readonly #bounds: readonly number[];
  readonly #series: SeriesByLabel<L, Observations>;

  constructor(params: { name: string; help: string; bounds: readonly number[]; labels: L }) {
    this.name = params.name;
    this.help = params.help;
    this.#bounds = params.bounds;
    this.#series = new SeriesByLabel(params.labels, () => new Observations(params.bounds));
  }

  of(...values: LabelValues<L>): Observations {
    return this.#series.of(values);
  }

  async get() {
    const { name, help, type } = this;
    const values = this.#series.samples((labels, series) => this.#samples(labels, series));
    return { name, help, type, values, aggregator: 'sum' };
  }

  #samples(labels: Readonly<Record<string, string>>, series: Observations): Sample[] {
    const { sum, count } = series;
    const bucket = (le: string | number, value: number): Sample => ({
      metricName: `${this.name}_bucket`,
      labels: { le, ...labels },
      value,
    });
    return [
      ...series.cumulative().map((value, i) => bucket(this.#bounds[i] as number, value)),
      bucket('+Inf', count),
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ];
  }
}
