import { check, type Violation } from '../checkers/all-checkers.ts';
import { type Evidence, gather } from '../evidence.ts';
import type { HistoryEvent } from '../history.ts';
import { drawOptions, type Options } from '../world/options.ts';
import type { Sabotage } from '../world/sabotage.ts';
import { TAME } from '../world/wild-options.ts';
import { World } from '../world/world.ts';

/** A world without faults and without a workload of its own: the scenario says what happens. */
export class Stage {
  readonly world: World;

  private constructor(world: World) {
    this.world = world;
  }

  static async set(options: Partial<Options> = {}, sabotage: Sabotage = {}): Promise<Stage> {
    const drawn = {
      ...drawOptions(1, 1),
      nodes: 2,
      workers: [4, 4, 4],
      tenants: 1,
      partitions: 4,
      faults: {},
      submitEveryMs: Number.POSITIVE_INFINITY,
      liarShare: 0,
      schedules: 0,
      follows: false,
      hears: false,
      engine: {},
      loop: {},
      wild: TAME,
      ...options,
    };
    const world = new World(drawn, sabotage);
    await world.begin();
    for (const way of [world.clients.way, ...world.nodes.map((node) => node.way)])
      way.slowShare = 0;
    const stage = new Stage(world);
    // Leases are taken and workers attached.
    await stage.pass(15_000);
    return stage;
  }

  pass(ms: number): Promise<void> {
    return this.world.clockwork.runUntil(this.world.clockwork.now + ms);
  }

  submit(job: string, count: number): void {
    for (let i = 0; i < count; i++) this.world.clients.submitters.submit('t0', job);
  }

  get now(): number {
    return this.world.clockwork.now;
  }

  events<K extends HistoryEvent['kind']>(kind: K): (HistoryEvent & { kind: K })[] {
    return this.world.history.events.filter(
      (event): event is HistoryEvent & { kind: K } => event.kind === kind,
    );
  }

  /** Heals, waits for rest, and checks every promise. */
  async finish(restMs = 10 * 60_000): Promise<{ evidence: Evidence; violations: Violation[] }> {
    const { world } = this;
    world.heal();
    let looks = 0;
    await world.clockwork.runUntil(this.now + restMs, () => ++looks % 50 === 0 && world.isQuiet);
    await this.pass(20_000);
    const evidence = await gather(world);
    return { evidence, violations: check(evidence) };
  }
}

export function statesOf(evidence: Evidence): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { end } of evidence.runs) {
    const state = end?.state ?? 'OPEN';
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
}
