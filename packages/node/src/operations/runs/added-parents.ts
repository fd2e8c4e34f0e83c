import { type Growth, grownCount, type JobSpec, taskNameAt } from '@signalbox/engine';

/** What tasks come after, by name, where the job version does not say it: it was added at run time. */
export class AddedParents {
  readonly #spec: JobSpec;
  readonly #growth: readonly Growth[];
  /** Parents by added edges, of those that are asked about. */
  readonly #edges = new Map<number, number[]>();

  constructor(spec: JobSpec, growth: readonly Growth[], of: readonly { readonly index: number }[]) {
    this.#spec = spec;
    this.#growth = growth;
    const asked = new Set(growth.length === 0 ? [] : of.map(({ index }) => index));
    for (const step of growth) {
      if (step[0] !== 'added') continue;
      for (const [from, to] of step[3]) {
        if (asked.has(to)) this.#edges.set(to, [...(this.#edges.get(to) ?? []), from]);
      }
    }
  }

  /** Null where the definition tells all. */
  of(index: number): string[] | null {
    const declared = this.#declared(index);
    const added = this.#edges.get(index);
    if (declared === null || (added === undefined && index < this.#spec.tasks.length)) return null;
    return [...declared, ...(added ?? []).map((parent) => this.#nameAt(parent))];
  }

  /** Null for a child of a fan-out: it comes after what its fan-out comes after. */
  #declared(index: number): string[] | null {
    const spec = this.#spec.tasks[index];
    if (spec !== undefined) return spec.after.map((parent) => this.#nameAt(parent));
    let first = this.#spec.tasks.length;
    for (const step of this.#growth) {
      const count = grownCount(step);
      if (index < first + count) {
        return step[0] === 'added' ? [...(step[2][index - first]?.after ?? [])] : null;
      }
      first += count;
    }
    return null;
  }

  #nameAt(index: number): string {
    return taskNameAt(this.#spec, this.#growth, index);
  }
}
