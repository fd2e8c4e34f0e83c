import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../../tools/testing/property.ts';
import type { Command } from '../commands.ts';
import type { Fact, SubmittedRun } from '../facts/facts.ts';
import type { Class } from '../model/classes.ts';
import { DUE_LANE, queueLane } from '../model/lane.ts';
import { buildSpec } from '../testing/builders.ts';
import { Harness, START_MS } from '../testing/harness.ts';
import type { PageWanted } from './paging.ts';

const { shape } = buildSpec().tasks[0]!;
const settings = { queueWindow: 20, pageSize: 10, horizonMs: 10_000 };

/** The part of a store that paging needs: parked runs by lane, in order. */
class ParkedRuns {
  rows: { readonly lane: string; readonly sort: number; readonly run: SubmittedRun }[] = [];

  see(facts: readonly Fact[]): void {
    for (const fact of facts) {
      if (fact.kind === 'runSubmitted' && fact.parked !== null) {
        this.rows.push({ ...fact.parked, run: fact.run });
      }
      // As every store does: a page holds no run that has ended.
      if (fact.kind === 'runEnded') this.rows = this.rows.filter(({ run }) => run.seq !== fact.seq);
    }
  }

  page({ lane, after, upTo, limit }: PageWanted) {
    const rows = this.rows
      .filter((row) => row.lane === lane && row.sort <= upTo)
      .filter(({ sort, run }) => {
        return after === null || sort > after.sort || (sort === after.sort && run.seq > after.seq);
      })
      .sort((a, b) => a.sort - b.sort || a.run.seq - b.run.seq)
      .slice(0, limit);
    const last = rows.at(-1);
    return {
      runs: rows.map(({ run }) => run),
      cursor: last === undefined ? null : { sort: last.sort, ms: last.run.ms, seq: last.run.seq },
      exhausted: rows.length < limit,
    };
  }
}

class World {
  readonly h = new Harness({ settings });
  readonly parked = new ParkedRuns();
  /** Pages that have been read but not handed in yet: meanwhile anything may happen. */
  readonly #reading = new Map<string, Command>();

  constructor() {
    this.h.addWorker({ total: { slots: 3 } });
  }

  step(): void {
    this.parked.see(this.h.step().facts);
    const busy = (_: number, lane: string): boolean => this.#reading.has(lane);
    for (const page of this.h.engine.pagesWanted(busy)) {
      const { partition, lane, after } = page;
      const read = this.parked.page(page);
      this.#reading.set(lane, { kind: 'pageIn', partition, lane, after, ...read });
    }
  }

  /** Hands in one of them. */
  answer(nth: number): void {
    const [lane, page] = [...this.#reading][nth % Math.max(1, this.#reading.size)] ?? [];
    if (lane === undefined || page === undefined) return;
    this.#reading.delete(lane);
    this.h.apply(page);
  }

  finishOne(): void {
    const attempt = this.h.live()[0];
    if (attempt !== undefined) this.h.succeed(attempt);
  }

  parkedCount(): number {
    const book = this.h.engine.core.books.get(0)!;
    return [...book.lanes.values()].reduce((sum, lane) => sum + lane.parked, 0);
  }

  drain(): void {
    for (let i = 0; i < 20_000; i++) {
      const { runs } = this.h.engine.core.books.get(0)!;
      if (runs.size === 0 && this.parkedCount() === 0) return;
      if (this.h.live().length === 0) this.h.advance(500);
      this.finishOne();
      this.answer(i);
      this.step();
    }
    throw new Error('it never came to an end');
  }

  ends(): number[] {
    return this.h.factsOf('runEnded').map((fact) => fact.seq);
  }
}

describe('a backlog larger than memory', () => {
  const ops = fc.array(
    fc.oneof(
      fc.record({
        kind: fc.constant('submit' as const),
        n: fc.integer({ min: 1, max: 40 }),
        tenant: fc.constantFrom('anna', 'bert'),
        class: fc.constantFrom<Class>(0, 1, 2),
        dueInMs: fc.constantFrom(0, 0, 500, 9_000, 12_000, 60_000),
      }),
      fc.record({ kind: fc.constant('finish' as const), n: fc.integer({ min: 1, max: 10 }) }),
      fc.record({ kind: fc.constant('answer' as const), n: fc.nat(10) }),
      fc.record({ kind: fc.constant('fetch' as const), n: fc.nat(100) }),
      fc.record({ kind: fc.constant('pass' as const), n: fc.nat(8_000) }),
    ),
    { maxLength: 40, size: 'max' },
  );
  type Op = typeof ops extends fc.Arbitrary<(infer T)[]> ? T : never;

  function run(world: World, op: Op): number {
    const { h } = world;
    if (op.kind === 'submit') {
      for (let i = 0; i < op.n; i++) {
        const head = op.dueInMs === 0 ? {} : { dueAt: h.now + op.dueInMs + i };
        h.trySubmit({ tenant: op.tenant, class: op.class, head });
      }
      return op.n;
    }
    if (op.kind === 'finish') for (let i = 0; i < op.n; i++) world.finishOne();
    else if (op.kind === 'answer') world.answer(op.n);
    else if (op.kind === 'pass') h.advance(op.n);
    else {
      const row = world.parked.rows[op.n % Math.max(1, world.parked.rows.length)];
      if (row !== undefined)
        h.apply({ kind: 'fetchIn', partition: 0, lane: row.lane, run: row.run });
    }
    return 0;
  }

  it('comes in page by page: every run once, none lost, and few in memory', () => {
    assertProperty(
      fc.property(ops, (list) => {
        const world = new World();
        let submitted = 0;
        let fetched = 0;
        for (const op of list) {
          submitted += run(world, op);
          if (op.kind === 'fetch') fetched++;
          world.step();
          const live = world.h.engine.core.books.get(0)!.runs.size;
          expect(live + world.parkedCount() + world.ends().length).toBe(submitted);
          for (const owner of world.h.engine.core.tenantClasses()) {
            // What was due by itself or fetched comes on top of a full window.
            if (fetched === 0 && list.every((o) => o.kind !== 'submit' || o.dueInMs === 0)) {
              expect(owner.queued).toBeLessThanOrEqual(settings.queueWindow);
            }
          }
        }
        world.drain();
        expect(world.ends().toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: submitted }, (_, i) => i + 1),
        );
      }),
      { numRuns: 20 },
    );
  });

  it('PRI-02: keeps its order across what is in memory and what is parked', () => {
    const world = new World();
    const h = world.h;
    for (let i = 0; i < 200; i++) h.trySubmit({ class: i % 2 === 0 ? 2 : 1 });
    world.step();
    expect(world.parkedCount()).toBe(160);
    world.drain();
    for (const parity of [0, 1]) {
      const seqs = h
        .factsOf('taskAssigned')
        .flatMap(({ seq }) => (seq % 2 === parity ? [seq] : []));
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
      expect(seqs.length).toBe(100);
    }
  });

  it('asks for a page when the queue runs low and not before, most urgent class first', () => {
    const world = new World();
    const { h } = world;
    for (const klass of [2, 1] as const) for (let i = 0; i < 30; i++) h.trySubmit({ class: klass });
    h.step();
    const wanted = () => h.engine.pagesWanted(() => false).map((page) => page.lane);
    expect(wanted()).toEqual([]);
    while (h.engine.core.ofTenant('acme', 1).queued > 10) {
      world.finishOne();
      h.step();
    }
    expect(wanted()).toEqual([queueLane(1, 'acme', shape)]);
    expect(h.engine.pagesWanted(() => true)).toEqual([]);
  });

  it('reads due times long before they are due, and starts nothing early', () => {
    const world = new World();
    const { h } = world;
    const dueAt = START_MS + 60_000;
    h.trySubmit({ head: { dueAt } });
    world.step();
    expect(h.engine.core.books.get(0)!.lanes.get(DUE_LANE)?.parked).toBe(1);
    while (h.now < dueAt) {
      h.now = Math.min(dueAt - 1, Math.max(h.now + 1, h.wakeAt()));
      h.tick();
      world.step();
      world.answer(0);
      expect(h.factsOf('taskAssigned')).toEqual([]);
      if (h.now < dueAt - 1) continue;
      expect(world.parkedCount()).toBe(0);
      h.now = dueAt;
      h.tick();
    }
    expect(h.factsOf('taskAssigned').map((fact) => fact.at)).toEqual([dueAt]);
  });

  it('does not take in a page that was read before the lane moved on', () => {
    const world = new World();
    const { h, parked } = world;
    for (let i = 0; i < 60; i++) h.trySubmit({});
    parked.see(h.step().facts);
    const lane = queueLane(1, 'acme', shape);
    const after = h.engine.core.books.get(0)!.lanes.get(lane)!.cursor;
    const upTo = Number.MAX_SAFE_INTEGER;
    const wanted = { partition: 0, lane, after, upTo, limit: 10, bytes: 0 };
    const page = { kind: 'pageIn', partition: 0, lane, after, ...parked.page(wanted) } as const;
    h.apply(page);
    h.step();
    const { runs } = h.engine.core.books.get(0)!;
    while (runs.size > 0) {
      world.finishOne();
      h.step();
    }
    expect(world.ends().length).toBe(30);
    h.apply(page);
    expect(runs.size).toBe(0);
    expect(world.parkedCount()).toBe(30);
    expect(h.flush().facts).toEqual([]);
  });

  describe('far due times that are cancelled one by one', () => {
    const DAY = 86_400_000;

    function cancelled(world: World): number {
      const { h, parked } = world;
      h.trySubmit({ head: { dueAt: h.now + 30 * DAY } });
      world.step();
      const { run } = parked.rows.at(-1)!;
      const of = { partition: 0, seq: run.seq };
      h.apply({ kind: 'fetchIn', partition: 0, lane: DUE_LANE, run });
      h.apply({ kind: 'cancel', ...of, by: 'the test', reason: 'over' });
      return run.seq;
    }

    it.each([
      ['', 0],
      [', beside one that stays', 1],
    ])('leave nothing in memory%s', (_beside, stay) => {
      const world = new World();
      const { h } = world;
      for (let i = 0; i < stay; i++) h.trySubmit({ head: { dueAt: h.now + 90 * DAY } });
      const lane = () => h.engine.core.books.get(0)!.lanes.get(DUE_LANE)!;
      for (let i = 0; i < 50; i++) {
        cancelled(world);
        world.step();
        h.now += 3_000;
        world.step();
        world.answer(0);
      }
      expect(lane().taken?.size ?? 0).toBeLessThan(5);
      expect(lane().parked).toBe(stay);
    });

    it('do not come back with a page that was read before they ended', () => {
      const world = new World();
      const { h } = world;
      h.trySubmit({ head: { dueAt: h.now + 12_000 } });
      world.step();
      const { run } = world.parked.rows[0]!;
      h.now += 5_000;
      h.tick();
      const [page] = h.engine.pagesWanted(() => false);
      const read = world.parked.page(page!);
      expect(read.runs).toHaveLength(1);
      h.apply({ kind: 'fetchIn', partition: 0, lane: DUE_LANE, run });
      h.apply({ kind: 'cancel', partition: 0, seq: run.seq, by: 'the test', reason: 'over' });
      for (let i = 0; i < 3; i++) {
        world.step();
        h.now += 2_000;
        cancelled(world);
      }
      expect(h.engine.core.books.get(0)!.lanes.get(DUE_LANE)?.taken?.has(run.seq)).toBe(false);
      const { lane, after } = page!;
      h.apply({ kind: 'pageIn', partition: 0, lane, after, ...read });
      expect(h.engine.core.books.get(0)!.runs.size).toBe(0);
    });
  });

  it('U047: runs that fit no worker do not hide the parked ones behind them that do', () => {
    const world = new World();
    const { h } = world;
    for (let i = 0; i < 60; i++) h.trySubmit({ job: 'gpu', request: { slots: 1, gpu: 1 } });
    world.step();
    for (let i = 0; i < 60; i++) h.trySubmit({ job: 'plain' });
    world.step();
    expect(world.parkedCount()).toBeGreaterThan(50);
    for (let i = 0; i < 200; i++) {
      world.finishOne();
      world.answer(i);
      world.step();
    }
    const jobs = h.factsOf('runEnded').map(({ seq }) => (seq <= 60 ? 'gpu' : 'plain'));
    expect(jobs).toEqual(Array.from({ length: 60 }, () => 'plain'));
    const { runs } = h.engine.core.books.get(0)!;
    expect(runs.size).toBeLessThanOrEqual(settings.queueWindow + settings.pageSize);
    h.addWorker({ name: 'w2', total: { slots: 3, gpu: 3 } });
    world.drain();
    expect(world.ends().length).toBe(120);
  });

  it('PRI-02: runs of several shapes keep the order in which they were submitted', () => {
    const world = new World();
    const { h } = world;
    for (let i = 0; i < 200; i++) {
      h.trySubmit({ request: { slots: i < 100 ? 1 : 2 } });
      h.now += 1;
    }
    world.step();
    expect(world.parkedCount()).toBeGreaterThan(150);
    world.drain();
    const seqs = h.factsOf('taskAssigned').map(({ seq }) => seq);
    // A task of two slots may wait for a second one; within each shape nothing is overtaken.
    const early = seqs.indexOf(101);
    expect(early).toBeGreaterThanOrEqual(97);
    for (const isOf of [(seq: number) => seq <= 100, (seq: number) => seq > 100]) {
      const own = seqs.filter(isOf);
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
  });

  it('leaves nothing in memory of a lane that has been read to its end', () => {
    const world = new World();
    const { h } = world;
    for (let i = 0; i < 40; i++) {
      for (let j = 0; j < 25; j++) h.trySubmit({ tenant: `t${i}` });
      world.step();
    }
    const { lanes } = h.engine.core.books.get(0)!;
    expect(lanes.size).toBe(40);
    world.drain();
    expect(lanes.size).toBe(0);
    // A lane of the same name begins behind what it held before.
    for (let j = 0; j < 25; j++) h.trySubmit({ tenant: 't0' });
    world.step();
    world.drain();
    expect(world.ends().length).toBe(40 * 25 + 25);
  });
});
