import { type JobDefinition, type JobSpec, type JobVersion, jobSpec } from '@signalbox/engine';
import { type Store, StoreError } from '@signalbox/store';

const KEPT = 10_000;

/** Job versions as the engine needs them. A version never changes, so what was read stays right. */
export class Specs {
  readonly #store: Store;
  readonly #versions = new Map<string, JobSpec>();
  readonly #definitions = new WeakMap<JobSpec, JobDefinition>();

  constructor(store: Store) {
    this.#store = store;
  }

  known(version: JobVersion): JobSpec | undefined {
    return this.#versions.get(keyOf(version));
  }

  /** For callers that have just read or written the version themselves. */
  remember(spec: JobSpec): JobSpec {
    const key = keyOf({ tenant: spec.tenant, job: spec.job, version: spec.version });
    const known = this.#versions.get(key);
    if (known !== undefined) return known;
    this.#versions.set(key, spec);
    for (const oldest of this.#versions.keys()) {
      if (this.#versions.size <= KEPT) break;
      this.#versions.delete(oldest);
    }
    return spec;
  }

  /** The definition as it was saved, with what the engine does not look at; null where it is not known. */
  definitionOf(spec: JobSpec): JobDefinition | null {
    return this.#definitions.get(spec) ?? null;
  }

  async load(version: JobVersion): Promise<JobSpec> {
    const known = this.known(version);
    if (known !== undefined) return known;
    const { tenant, job } = version;
    const definition = await this.#store.getDefinition({
      tenant,
      kind: 'job',
      name: job,
      version: version.version,
    });
    if (definition === null) {
      // A run names it, and versions are never removed: its row has another key now, or is lost.
      const error = `job ${tenant}/${job} has no version ${version.version}`;
      const key = JSON.stringify([tenant, 'job', job, version.version]);
      const place = { kind: 'definition', key, partition: null, tenant } as const;
      await this.#store.setAside({ ...place, error, bytes: new Uint8Array(0) });
      throw new StoreError('damaged', error);
    }
    return this.#derive(version, definition.body);
  }

  /** Null where the version is damaged or missing: what needs it is set aside. */
  async loadReadable(version: JobVersion): Promise<JobSpec | null> {
    try {
      return await this.load(version);
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind === 'unavailable') throw error;
      return null;
    }
  }

  /** The newest version of a job, or null where there is none or it was deleted. */
  async newest(tenant: string, job: string): Promise<JobSpec | null> {
    return this.#read(tenant, job, false);
  }

  /** The newest version even of a deleted job: for what was acknowledged before the deletion. */
  async last(tenant: string, job: string): Promise<JobSpec | null> {
    return this.#read(tenant, job, true);
  }

  async #read(tenant: string, job: string, deletedToo: boolean): Promise<JobSpec | null> {
    const definition = await this.#store.getDefinition({ tenant, kind: 'job', name: job });
    if (definition === null || (definition.deleted && !deletedToo)) return null;
    return this.#derive({ tenant, job, version: definition.version }, definition.body);
  }

  #derive({ tenant, job, version }: JobVersion, body: string): JobSpec {
    const definition = JSON.parse(body) as JobDefinition;
    const spec = this.remember(jobSpec({ tenant, job, version, definition }));
    this.#definitions.set(spec, definition);
    return spec;
  }
}

function keyOf({ tenant, job, version }: JobVersion): string {
  return `${tenant}\n${job}\n${version}`;
}
