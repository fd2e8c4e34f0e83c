import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import { buildSpec } from '../testing/builders.ts';
import type { Class } from './classes.ts';
import { ReadyQueues } from './queues.ts';
import { Run, type Task } from './run.ts';
import type { Shape } from './shape.ts';
import { TenantClass } from './tenant-class.ts';

const classes: readonly Class[] = [0, 1, 2];
const tenants = ['anna', 'bert'];
const slots = [1, 2];

/** What the queues must be: every waiting task in one list, and a search through all of it. */
class NaiveQueues {
  readonly waiting = new Map<Task, TenantClass>();
  readonly blocked = new Set<Shape>();

  /** Of each shape the neediest tenant's oldest task; of these the neediest tenant's, then the oldest. */
  next(klass: Class): Task | null {
    const heads = new Map<Shape, Task>();
    for (const [task, owner] of this.waiting) {
      if (owner.class !== klass || owner.held || this.blocked.has(task.shape)) continue;
      const head = heads.get(task.shape);
      if (head === undefined || this.#before(task, head, 'tenant')) heads.set(task.shape, task);
    }
    let best: Task | null = null;
    for (const task of heads.values()) {
      if (best === null || this.#before(task, best, 'order')) best = task;
    }
    return best;
  }

  sizeOf(klass: Class): number {
    return [...this.waiting.values()].filter((owner) => owner.class === klass).length;
  }

  #before(a: Task, b: Task, tie: 'tenant' | 'order'): boolean {
    const [ownerA, ownerB] = [this.waiting.get(a)!, this.waiting.get(b)!];
    if (ownerA.fairKey !== ownerB.fairKey) return ownerA.fairKey < ownerB.fairKey;
    if (tie === 'order' || ownerA === ownerB) return a.order < b.order;
    return ownerA.tenant < ownerB.tenant;
  }
}

class World {
  readonly queues = new ReadyQueues();
  readonly model = new NaiveQueues();
  readonly owners = classes.flatMap((klass) => tenants.map((name) => new TenantClass(name, klass)));
  readonly shapes = slots.map((n) => buildSpec({ request: { slots: n } }).tasks[0]!.shape);
  readonly left: Task[] = [];
  #order = 1;

  push(owner: TenantClass, size: number): void {
    const spec = buildSpec({ tenant: owner.tenant, request: { slots: size } });
    const task = new Run({
      partition: 0,
      seq: this.#order,
      ms: 0,
      spec,
      head: {},
      class: owner.class,
      input: null,
      inputBytes: 0,
    }).tasks[0]!;
    task.order = this.#order++;
    this.pushTask(task, owner);
  }

  pushTask(task: Task, owner: TenantClass): void {
    task.state = 'QUEUED';
    this.queues.push(task, owner);
    this.model.waiting.set(task, owner);
  }

  take(klass: Class): void {
    const lane = this.queues.next(klass);
    expect(lane?.head() ?? null).toBe(this.model.next(klass));
    const task = lane?.head();
    if (lane === null || task === undefined) return;
    this.queues.take(lane, task);
    task.state = 'ASSIGNED';
    this.model.waiting.delete(task);
    this.left.push(task);
  }

  check(): void {
    for (const klass of classes) {
      expect(this.queues.size[klass]).toBe(this.model.sizeOf(klass));
      expect(this.queues.next(klass)?.head() ?? null).toBe(this.model.next(klass));
    }
    for (const owner of this.owners) {
      const count = [...this.model.waiting.values()].filter((each) => each === owner).length;
      expect(owner.queued).toBe(count);
    }
  }
}

const kinds = [
  'push',
  'push',
  'push',
  'push',
  'take',
  'take',
  'giveBack',
  'giveBack',
  'remove',
  'move',
  'block',
  'unblock',
  'hold',
  'resume',
  'rekey',
  'rebuild',
] as const;
const ops = fc.record({ kind: fc.constantFrom(...kinds), a: fc.nat(1000), b: fc.nat(1000) });
type Op = typeof ops extends fc.Arbitrary<infer T> ? T : never;

function run(world: World, { kind, a, b }: Op): void {
  const { queues, model } = world;
  const owner = world.owners[a % world.owners.length]!;
  const shape = world.shapes[a % world.shapes.length]!;
  const waiting = [...model.waiting.keys()][b % Math.max(1, model.waiting.size)];
  switch (kind) {
    case 'push':
      return world.push(owner, slots[b % slots.length]!);
    case 'take':
      return world.take(classes[a % 3]!);
    case 'giveBack': {
      const [task] = world.left.splice(a % Math.max(1, world.left.length), 1);
      if (task !== undefined) world.pushTask(task, ownerOf(world, task));
      return;
    }
    case 'remove':
    case 'move': {
      if (waiting === undefined) return;
      queues.remove(waiting);
      model.waiting.delete(waiting);
      if (kind === 'remove') return;
      waiting.run.class = classes[a % 3]!;
      return world.pushTask(waiting, ownerOf(world, waiting));
    }
    case 'block':
      queues.block(shape, 0);
      model.blocked.add(shape);
      return;
    case 'unblock':
      queues.unblock(shape);
      model.blocked.delete(shape);
      return;
    case 'hold':
      return queues.hold(owner);
    case 'resume':
      return queues.resume(owner);
    case 'rekey':
      owner.fairKey = b % 7;
      return queues.rekey(owner);
    case 'rebuild':
      for (const [i, each] of world.owners.entries()) each.fairKey = (a + b * i) % 5;
      queues.rebuild();
  }
}

function ownerOf(world: World, task: Task): TenantClass {
  const { tenant } = task.run.spec;
  return world.owners.find((o) => o.tenant === tenant && o.class === task.run.class)!;
}

describe('ReadyQueues', () => {
  it('choose as a search through everything would: by class, use, then age', () => {
    assertProperty(
      fc.property(fc.array(ops, { maxLength: 120, size: 'max' }), (list) => {
        const world = new World();
        for (const op of list) {
          run(world, op);
          world.check();
        }
        for (const owner of world.owners) world.queues.resume(owner);
        for (const shape of world.shapes) world.queues.unblock(shape);
        world.model.blocked.clear();
        for (const klass of classes) while (world.model.sizeOf(klass) > 0) world.take(klass);
      }),
      { numRuns: 50 },
    );
  });

  it('forget the queue of a shape that nobody waits for, and keep that of a held tenant', () => {
    const world = new World();
    const { queues, model } = world;
    const [owner, held] = [world.owners[0]!, world.owners[1]!];
    for (let size = 10; size < 110; size++) world.push(owner, size);
    for (const task of [...model.waiting.keys()].slice(50)) {
      queues.remove(task);
      model.waiting.delete(task);
    }
    for (let i = 0; i < 50; i++) world.take(owner.class);
    expect(queues.next(owner.class)).toBeNull();
    expect(queues.queueCount).toBe(0);
    world.push(held, 1);
    queues.hold(held);
    world.push(owner, 1);
    world.take(owner.class);
    expect(queues.next(owner.class)).toBeNull();
    expect(queues.queueCount).toBe(1);
    queues.resume(held);
    world.take(held.class);
    expect(world.left).toHaveLength(52);
  });

  it('keep nothing of tasks that left behind a head that cannot be placed', () => {
    const world = new World();
    const { queues, model } = world;
    const owner = world.owners[0]!;
    world.push(owner, 1);
    const head = [...model.waiting.keys()][0]!;
    queues.block(head.shape, 0);
    for (let round = 0; round < 20; round++) {
      for (let i = 0; i < 500; i++) world.push(owner, 1);
      for (const task of [...model.waiting.keys()].slice(1)) {
        queues.remove(task);
        model.waiting.delete(task);
      }
      expect(head.lane?.entryCount).toBeLessThanOrEqual(2);
    }
    queues.unblock(head.shape);
    world.check();
  });

  it('hold at most as many tasks that left as tasks that wait, in each of many lanes', () => {
    assertProperty(
      fc.property(fc.array(ops, { maxLength: 120, size: 'max' }), (list) => {
        const world = new World();
        for (const op of list) {
          run(world, op);
          for (const { lanes } of world.owners) {
            for (const lane of lanes.values()) {
              expect(lane.entryCount).toBeLessThanOrEqual(2 * lane.size);
            }
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it('keep nothing of tasks that left once those before them are taken', () => {
    const world = new World();
    const { queues, model } = world;
    const owner = world.owners[0]!;
    for (let i = 0; i < 200; i++) world.push(owner, 1);
    const tasks = [...model.waiting.keys()];
    for (const task of tasks.slice(100, -1)) {
      queues.remove(task);
      model.waiting.delete(task);
    }
    for (let i = 0; i < 100; i++) world.take(0);
    expect(tasks.at(-1)?.lane?.entryCount).toBe(1);
  });

  it('keep no lane of a tenant whose last task left while it could not be placed', () => {
    const world = new World();
    const { queues, model } = world;
    for (const owner of world.owners) world.push(owner, 1);
    for (const shape of world.shapes) queues.block(shape, 0);
    for (const task of [...model.waiting.keys()]) {
      queues.remove(task);
      model.waiting.delete(task);
    }
    expect(world.owners.map(({ lanes }) => lanes.size)).toEqual(world.owners.map(() => 0));
    expect(world.shapes.map((shape) => queues.isWanted(shape))).toEqual([false, false]);
    for (const shape of world.shapes) queues.unblock(shape);
    world.check();
  });

  it('a task that is moved away and back again is handed out once', () => {
    const world = new World();
    const [p0, p1] = [world.owners[0]!, world.owners[tenants.length]!];
    world.push(p1, 1);
    world.push(p1, 1);
    const task = world.queues.next(1)!.head()!;
    for (const [klass, owner] of [
      [0, p0],
      [1, p1],
    ] as const) {
      world.queues.remove(task);
      world.model.waiting.delete(task);
      task.run.class = klass;
      world.pushTask(task, owner);
    }
    world.take(1);
    expect(world.left).toEqual([task]);
    world.take(1);
    world.take(1);
    expect(new Set(world.left).size).toBe(2);
    expect(world.queues.next(1)).toBeNull();
  });

  it('U047: a thousand tenants whose only shape is blocked are not looked through for the next', () => {
    const queues = new ReadyQueues();
    const world = new World();
    const blocked = world.shapes[0]!;
    for (let i = 0; i < 1000; i++) {
      const owner = new TenantClass(`tenant-${i}`, 1);
      const task = new Run({
        partition: 0,
        seq: i,
        ms: 0,
        spec: buildSpec({ tenant: owner.tenant, request: { slots: i === 999 ? 2 : 1 } }),
        head: {},
        class: 1,
        input: null,
        inputBytes: 0,
      }).tasks[0]!;
      task.order = i + 1;
      task.state = 'QUEUED';
      // The one that can be placed has used most and comes last.
      owner.fairKey = i;
      queues.push(task, owner);
    }
    queues.block(blocked, 0);
    expect(queues.next(1)?.owner.tenant).toBe('tenant-999');
  });
});
