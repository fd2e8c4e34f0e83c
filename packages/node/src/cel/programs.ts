import type { Environment } from '@marcbachmann/cel-js';
import { celEnvironment, type VariableType } from './environment.ts';
import { PROGRAMS_KEPT } from './limits.ts';
import { type Compiled, compileCel, type Source } from './program.ts';

/** The compiled expressions of one kind of place, such as the filters of triggers. */
export class CelPrograms {
  readonly #environment: Environment;
  readonly #kept = new Map<string, Compiled>();
  readonly #keptMax: number;

  constructor(variables: Readonly<Record<string, VariableType>>, keptMax = PROGRAMS_KEPT) {
    this.#environment = celEnvironment(variables);
    this.#keptMax = keptMax;
  }

  /** Compiles, or finds what was compiled before; a refusal is as final as a program. */
  compile(source: Source): Compiled {
    // The field is part of it because a refusal names its field.
    const key = `${source.result} ${source.field}\n${source.expression}`;
    const found = this.#kept.get(key);
    if (found !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, found);
      return found;
    }
    const compiled = compileCel(this.#environment, source);
    this.#kept.set(key, compiled);
    if (this.#kept.size > this.#keptMax) {
      const [oldest] = this.#kept.keys();
      if (oldest !== undefined) this.#kept.delete(oldest);
    }
    return compiled;
  }

  get keptCount(): number {
    return this.#kept.size;
  }
}
