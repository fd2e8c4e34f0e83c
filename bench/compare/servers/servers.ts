import { Cleanup } from './cleanup.ts';
import { ComparisonPostgres } from './comparison-postgres.ts';

/** What the systems run on, started when the first of them asks. */
export class Servers {
  readonly cleanup = new Cleanup();
  readonly #dropsDatabases: boolean;
  #postgres: Promise<ComparisonPostgres> | null = null;

  /** A drop waits for a checkpoint: not worth it where the server itself is removed in a moment. */
  constructor({ dropsDatabases }: { dropsDatabases: boolean }) {
    this.#dropsDatabases = dropsDatabases;
  }

  postgres(): Promise<ComparisonPostgres> {
    this.#postgres ??= ComparisonPostgres.start(this.#dropsDatabases).then((server) => {
      this.cleanup.add(() => server.stop());
      return server;
    });
    return this.#postgres;
  }
}
