/** How many attempts of each job run in each zone: what keeps a job from sitting in one zone. */
export class ZoneCounts {
  readonly #jobs = new Map<string, { all: number; byZone: Map<string, number> }>();

  change(job: string, zone: string, by: 1 | -1): void {
    let counts = this.#jobs.get(job);
    if (counts === undefined) {
      counts = { all: 0, byZone: new Map() };
      this.#jobs.set(job, counts);
    }
    counts.all += by;
    counts.byZone.set(zone, (counts.byZone.get(zone) ?? 0) + by);
    if (counts.all === 0) this.#jobs.delete(job);
  }

  countIn(job: string, zone: string): number {
    return this.#jobs.get(job)?.byZone.get(zone) ?? 0;
  }

  countAll(job: string): number {
    return this.#jobs.get(job)?.all ?? 0;
  }
}
