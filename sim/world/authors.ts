import type { Overlap, ScheduleDefinition, When } from '@signalbox/engine';
import { Actor } from './clockwork.ts';
import { between, chance, type Dice, exponential, pick } from './streams.ts';
import type { World } from './world.ts';

/** Cron expressions whose windows anybody can count: every so many milliseconds from 1970. */
export const COUNTABLE_CRON: Readonly<Record<string, number>> = {
  '*/10 * * * * *': 10_000,
  '*/30 * * * * *': 30_000,
  '* * * * *': 60_000,
  '*/2 * * * *': 120_000,
};

const OVERLAPS: readonly Overlap[] = ['allow', 'allow', 'skip', 'queueOne', 'queueAll', 'replace'];
const EDIT_MS_MEAN = 90_000;
/** After everything was healed schedules go on for a while, and are then deleted: only so is there rest. */
const GO_ON_MS = 20_000;

interface Saved {
  readonly tenant: string;
  readonly name: string;
  version: number;
  definition: ScheduleDefinition;
  isDeleted: boolean;
}

/**
 * Who saves schedules, edits, pauses and deletes them. They write rows; a node that served the request
 * carries the version out at once if it owns the schedule and its lease allows it.
 */
export class Authors {
  readonly #world: World;
  readonly #dice: Dice;
  /** Which node serves a request; drawn apart, so that the edits of a seed stay as they are. */
  readonly #nodeDice: Dice;
  readonly #actor = new Actor('authors', true);
  readonly #saved: Saved[] = [];
  #isOver = false;

  constructor(world: World) {
    this.#world = world;
    this.#dice = world.streams.of('authors');
    this.#nodeDice = world.streams.of('authors.nodes');
  }

  get #editMs(): number {
    return this.#world.options.scheduleEditMs ?? EDIT_MS_MEAN;
  }

  /** Every schedule was deleted, and its owner knows. */
  get isQuiet(): boolean {
    if (this.#saved.some(({ isDeleted }) => !isDeleted)) return false;
    return this.#world.nodes.every(({ process }) => {
      const books = [...(process?.loop.engine.core.books.values() ?? [])];
      return books.every(({ schedules }) => schedules.size === 0);
    });
  }

  async begin(): Promise<void> {
    const { options, catalogue } = this.#world;
    for (let i = 0; i < options.schedules; i++) {
      const { tenant } = pick(this.#dice, catalogue.tenants);
      const own = catalogue.jobs.filter(({ weight }) => weight > 0);
      const job = pick(this.#dice, own).name;
      const saved = {
        tenant,
        name: `s${i}`,
        version: 0,
        definition: this.#draw(job),
        isDeleted: false,
      };
      this.#saved.push(saved);
      await this.#save(saved, saved.definition);
    }
    if (options.schedules > 0) this.#editLater();
  }

  end(): void {
    this.#world.clockwork.after(GO_ON_MS, this.#actor, () => {
      this.#isOver = true;
      for (const saved of this.#saved) if (!saved.isDeleted) void this.#save(saved, null);
    });
  }

  #editLater(): void {
    this.#world.clockwork.after(exponential(this.#dice, this.#editMs), this.#actor, () => {
      if (this.#isOver) return;
      const saved = pick(this.#dice, this.#saved);
      void this.#save(saved, this.#edit(saved));
      this.#editLater();
    });
  }

  #edit({ definition, isDeleted }: Saved): ScheduleDefinition | null {
    if (isDeleted) return this.#draw(definition.job);
    if (chance(this.#dice, 0.1)) return null;
    if (definition.paused === true) {
      // Windows of a pause that is caught up belong to the versions that held meanwhile.
      if (chance(this.#dice, 0.4)) return { ...this.#draw(definition.job), paused: true };
      return { ...definition, paused: false };
    }
    if (chance(this.#dice, 0.3)) return { ...definition, paused: true };
    return this.#draw(definition.job);
  }

  async #save(saved: Saved, definition: ScheduleDefinition | null): Promise<void> {
    const { memory } = this.#world.disk;
    const { tenant, name } = saved;
    const key = { tenant, kind: 'schedule', name };
    const change = { ...key, expectedVersion: saved.version, author: 'sim' };
    saved.version++;
    saved.isDeleted = definition === null;
    if (definition === null) await memory.deleteDefinition(change);
    else {
      // As long as its version says: the checker tells by it under which version a window ran.
      const input = JSON.stringify('v'.repeat(saved.version));
      saved.definition = { ...definition, input };
      await memory.putDefinition({ ...change, body: JSON.stringify(saved.definition) });
    }
    const written = await memory.getDefinition(key);
    if (written === null) throw new Error(`schedule ${name} was not saved`);
    const { version, atMs: savedAt, deleted } = written;
    this.#world.history.add({ kind: 'schedule.saved', tenant, name, version, savedAt, deleted });
    const node = pick(this.#nodeDice, this.#world.nodes);
    this.#world.clockwork.after(0, node.actor, () => {
      void node.process?.loop.schedules.adopt(written);
    });
  }

  #draw(job: string): ScheduleDefinition {
    const dice = this.#dice;
    return {
      job,
      when: this.#drawWhen(),
      jitterMs: pick(dice, [0, 0, 1_000, 15_000]),
      graceMs: pick(dice, [1_000, 10_000, 60_000]),
      overlap: pick(dice, OVERLAPS),
      afterPause: pick(dice, ['next', 'catchUp'] as const),
      catchUp: {
        windowsMax: pick(dice, [0, 1, 3, 3, 5]),
        ageMsMax: pick(dice, [60_000, 86_400_000]),
        order: pick(dice, ['newest', 'oldest'] as const),
      },
    };
  }

  #drawWhen(): When {
    const dice = this.#dice;
    if (chance(dice, 0.4)) {
      return { kind: 'cron', expr: pick(dice, Object.keys(COUNTABLE_CRON)), zone: 'UTC' };
    }
    const everyMs = Math.round(between(dice, 7_000, 90_000));
    return { kind: 'interval', everyMs, anchorAt: Math.floor(between(dice, 0, 1e12)) };
  }
}
