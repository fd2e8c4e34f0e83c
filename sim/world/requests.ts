import { CLASSES, type Class } from '@signalbox/engine';
import type { SubmitItem } from '@signalbox/node/operations';
import { PAYLOAD_INLINE_MAX } from '@signalbox/protocol';
import { blobInput, inputOf } from '../names.ts';
import { drawJob, MISFITS, type Tenant } from './catalogue.ts';
import { chance, type Dice, pick } from './streams.ts';
import type { World } from './world.ts';

/** One submission that somebody asks for. */
export interface Op {
  readonly op: number;
  readonly job: string;
  readonly class: Class | null;
  readonly key: string | null;
  readonly unique: string | null;
  readonly dueAt: number;
  readonly inputBytes: number;
  /** Its input is kept outside of the journal: it is large, or it looks like a reference. */
  readonly isBlob: boolean;
}

/** What is sent together: one submission, or several. */
export interface Request {
  readonly tenant: string;
  readonly ops: readonly Op[];
  /** Makes the whole of it repeatable. */
  readonly key: string | null;
  /** Not a batch, as the API tells the two apart. */
  readonly single: boolean;
  tries: number;
  /** Some try may have been accepted. */
  unsure: boolean;
  /** Since when it is asked for, in ages of the world. */
  age: number;
}

const PHASE_MS = 240_000;

/** Invents what clients ask for. */
export class Requests {
  readonly #world: World;
  readonly #dice: Dice;
  #ops = 0;
  #requests = 0;

  constructor(world: World, dice: Dice) {
    this.#world = world;
    this.#dice = dice;
  }

  /** One submission with a key, so that it gets through. */
  plain(tenant: string, job: string, dueAt: number): Request {
    const op = ++this.#ops;
    const wants = { op, job, class: null, key: `k${op}`, unique: null, dueAt };
    return requestOf(tenant, [{ ...wants, inputBytes: inputOf(op, 1).length, isBlob: false }]);
  }

  /** More work that fits nowhere than a small window holds, all of one tenant. */
  misfits(): Request[] {
    const { tenant } = this.#drawTenant();
    this.#world.coverage.sometimes('backlog that fits nowhere');
    return Array.from({ length: 20 + this.#dice.int(40) }, () =>
      this.plain(tenant, pick(this.#dice, MISFITS).name, 0),
    );
  }

  draw(): Request {
    const { wild } = this.#world.options;
    const { tenant } = this.#drawTenant();
    if (!chance(this.#dice, wild.batchShare)) return requestOf(tenant, [this.#drawOp(0)]);
    const count = 2 + this.#dice.int(6);
    // Mixed batches, whose items stand for themselves, and plain ones, which are one unit.
    const isPlain = chance(this.#dice, 0.6);
    const ops = Array.from({ length: count }, () => this.#drawOp(isPlain ? 2 : 1));
    const key = chance(this.#dice, 0.8) ? this.#drawRequestKey() : null;
    return { ...requestOf(tenant, ops), key, single: false };
  }

  /** `restraint`: 0 for a submission of its own, 1 for one of a batch, 2 for one without a key. */
  #drawOp(restraint: 0 | 1 | 2): Op {
    const { options, catalogue } = this.#world;
    const dice = this.#dice;
    const op = ++this.#ops;
    const isMisfit = chance(dice, options.wild.misfitShare) && restraint === 0;
    const job = isMisfit ? pick(dice, MISFITS).name : drawJob(dice, catalogue.jobs).name;
    if (isMisfit) this.#world.coverage.sometimes('task that fits nowhere');
    const hasKey = chance(dice, options.keyShare) && restraint < 2;
    const key = hasKey ? this.#drawKey(op) : null;
    const dueAt = this.#drawDueAt();
    const klass = chance(dice, 0.1) && !options.wild.contest ? (dice.int(3) as Class) : null;
    const isUnique = chance(dice, options.wild.uniqueShare) && restraint < 2;
    const unique = isUnique ? `u${dice.int(3)}` : null;
    const input = { inputBytes: this.#drawBytes(op, restraint), isBlob: false };
    const blob = restraint === 0 ? this.#drawBlob() : null;
    return { op, job, class: klass, key, unique, dueAt, ...(blob ?? input) };
  }

  /** Some inputs are larger than the journal takes; some only look like what stands for them there. */
  #drawBlob(): { inputBytes: number; isBlob: true } | null {
    const { ages } = this.#world.options.wild;
    if (ages === null) return null;
    const dice = this.#world.streams.of('blobs');
    if (!chance(dice, ages.blobShare)) return null;
    this.#world.coverage.sometimes('payload kept as a blob');
    const isLarge = chance(dice, 0.2);
    const inputBytes = isLarge ? PAYLOAD_INLINE_MAX + 1 + dice.int(40_000) : 40 + dice.int(100);
    return { inputBytes, isBlob: true };
  }

  #drawKey(op: number): string {
    const { keyPool } = this.#world.options.wild;
    if (keyPool === 0 || chance(this.#dice, 0.3)) return `k${op}`;
    return `p${this.#dice.int(keyPool)}`;
  }

  #drawRequestKey(): string {
    const { keyPool } = this.#world.options.wild;
    const isReused = keyPool > 0 && chance(this.#dice, 0.5);
    return isReused ? `p${this.#dice.int(keyPool)}` : `r${++this.#requests}`;
  }

  /** Mostly small, now and then as large as there may be; of a batch each names its operation. */
  #drawBytes(op: number, restraint: 0 | 1 | 2): number {
    const { inputBytesMax } = this.#world.options.wild;
    const least = inputOf(op, 1).length;
    if (inputBytesMax === 0) return least;
    const isHuge = inputBytesMax === PAYLOAD_INLINE_MAX;
    const drawn = Math.floor(this.#dice.next() ** (isHuge ? 8 : 3) * (inputBytesMax + 1));
    if (isHuge && chance(this.#dice, 0.02)) {
      this.#world.coverage.sometimes('input as large as one may be');
      return inputBytesMax;
    }
    if (chance(this.#dice, 0.05) && restraint === 0) return 0;
    return Math.max(least, drawn);
  }

  /** A tenant under a limit gets less to do: its backlog would outlive every seed. */
  #drawTenant(): Tenant {
    const { tenants } = this.#world.catalogue;
    if (this.#world.options.wild.contest && chance(this.#dice, 0.9)) {
      // One is busy while the others rest, and then another.
      const phase = Math.floor(this.#world.clockwork.now / PHASE_MS);
      return tenants[phase % tenants.length] as Tenant;
    }
    const drawn = pick(this.#dice, tenants);
    const isSpared = drawn.runningMax < 10 && chance(this.#dice, 0.75);
    return isSpared ? (tenants[0] as Tenant) : drawn;
  }

  /** Most are due at once, some soon, a few when no world lives any more. */
  #drawDueAt(): number {
    const { options, disk, farDueMs } = this.#world;
    if (!chance(this.#dice, options.dueShare)) return 0;
    const farShare = options.wild.ages?.farShare ?? 0.05;
    if (chance(this.#dice, farShare)) return farDueMs + this.#dice.int(10_000_000);
    return disk.soonMs + Math.round(pick(this.#dice, [5_000, 60_000, 400_000]) * this.#dice.next());
  }
}

function requestOf(tenant: string, ops: readonly Op[]): Request {
  return { tenant, ops, key: null, single: true, tries: 0, unsure: false, age: 0 };
}

/** As the API takes it. */
export function itemOf(op: Op): SubmitItem {
  return {
    job: op.job,
    ...(op.class === null ? {} : { priority: CLASSES[op.class] }),
    ...(op.key === null ? {} : { idempotencyKey: op.key }),
    ...(op.unique === null ? {} : { uniqueKey: op.unique }),
    ...(op.dueAt === 0 ? {} : { runAt: new Date(op.dueAt).toISOString() }),
    inputBytes: op.isBlob ? blobInput(op.op, op.inputBytes) : inputOf(op.op, op.inputBytes),
  };
}
