import { type LabelNames, type LabelValues, type Scraped, SeriesByLabel } from './series.ts';

/** One series of a counter: a number that rises. */
export class Count {
  value = 0;

  add(by = 1): void {
    this.value += by;
  }
}

/** A metric of counts, one for each set of label values that was counted. */
export class Counter<const L extends LabelNames> implements Scraped {
  readonly type = 'counter';
  readonly name: string;
  readonly help: string;
  readonly #series: SeriesByLabel<L, Count>;

  constructor(params: { name: string; help: string; labels: L }) {
    this.name = params.name;
    this.help = params.help;
    this.#series = new SeriesByLabel(params.labels, () => new Count());
  }

  of(...values: LabelValues<L>): Count {
    return this.#series.of(values);
  }

  /** The same series under a name that a requirement fixes. */
  alias(name: string): Scraped {
    const { type } = this;
    const help = `Alias of ${this.name}`;
    return { name, help, type, get: async () => ({ ...(await this.get()), name, help }) };
  }

  async get() {
    const { name, help, type } = this;
    const values = this.#series.samples((labels, { value }) => [{ labels, value }]);
    return { name, help, type, values, aggregator: 'sum' };
  }
}
