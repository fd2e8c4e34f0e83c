import fc from 'fast-check';
import type { Command } from '../commands.ts';
import type { Class } from '../model/classes.ts';
import { NO_RESOURCES } from '../model/resources.ts';
import { type Attempt, type RunHead, refOf } from '../model/run.ts';
import { type JobSpec, SIMPLE_RETRY } from '../model/spec.ts';
import type { EngineSettings } from '../settings.ts';
import { buildSpec, buildWorker } from './builders.ts';
import type { SavedCheckpoint } from './fake-store.ts';
import { Recorded } from './recorded.ts';

/** So small that a dozen runs fill the memory and an hour is far ahead. */
const SMALL: Partial<EngineSettings> = { queueWindow: 3, pageSize: 2, horizonMs: 60_000 };

const SPECS: readonly JobSpec[] = [
  buildSpec({ job: 'one', timeouts: { hardMs: 20_000, graceMs: 1_000 } }),
  buildSpec({ job: 'one', class: 2, version: 2, request: { memoryMb: 100 } }),
  buildSpec({ job: 'simple', tenant: 'zoë', retry: SIMPLE_RETRY }),
  buildSpec({
    job: 'once',
    class: 0,
    critical: true,
    retry: { attemptsMax: 1 },
    timeouts: { hardMs: 3_000, graceMs: 500 },
  }),
  buildSpec({
    job: 'graph',
    tasks: [
      { name: 'a', retry: SIMPLE_RETRY },
      { name: 'b', after: ['a'], timeouts: { expectedMs: 5_000 } },
      { name: 'c', after: ['a'], request: { memoryMb: 300 } },
      { name: 'd', after: ['b', 'c'] },
    ],
  }),
];

const DO = {
  submit(life: Life, a: number, b: number) {
    const heads: RunHead[] = [
      {},
      {},
      {},
      { dueAt: life.now + 3_000 },
      { dueAt: life.now + 90_000 + b },
      { unique: `u${b % 2}` },
      { key: `k${b % 5}`, trigger: { kind: 'manual', by: 'ann' } },
    ];
    const input = b % 3 === 0 ? new Uint8Array(b % 7) : null;
    life.trySubmit({ spec: pick(SPECS, a), head: pick(heads, b), input });
  },
  step: (life: Life) => void life.step(),
  flush: (life: Life) => void life.flush(),
  advance: (life: Life, a: number) => life.advance(pick([10, 1_000, 5_000, 36_000, 600_000], a)),
  acceptAll: (life: Life) => void life.acceptAll(),
  accept: (life: Life, a: number) => life.about(a, (attempt) => life.accept(attempt)),
  refuse(life: Life, a: number, b: number) {
    life.about(a, (attempt) => life.refuse(attempt, b % 2 === 0 ? null : NO_RESOURCES));
  },
  succeed(life: Life, a: number, b: number) {
    life.about(a, (attempt) => life.succeed(attempt, b % 2 === 0 ? null : new Uint8Array(b % 9)));
  },
  fail(life: Life, a: number, b: number) {
    const how = [{}, { class: 'permanent' }, { exitCode: 137 }, { retryAfterMs: 9_000 }] as const;
    life.about(a, (attempt) => life.fail(attempt, { error: `é${b}`, ...pick(how, b) }));
  },
  stopped: (life: Life, a: number) => life.about(a, (x) => life.finish(x, { kind: 'stopped' })),
  checkpoint(life: Life, a: number, b: number) {
    const state = Uint8Array.from([a, b]);
    life.about(a, (x) => life.say(x, { kind: 'checkpoint', state }));
  },
  progress(life: Life, a: number, b: number) {
    const foreignUse = NO_RESOURCES;
    life.about(a, (x) => {
      const progress = [{ ref: refOf(x), value: b % 100 }];
      life.apply({ kind: 'beat', worker: x.workerName, foreignUse, progress });
    });
  },
  extend: (life: Life, a: number) => life.about(a, (x) => life.say(x, { kind: 'extend', byMs: 7 })),
  cancel(life: Life, a: number) {
    const seq = life.someRun(a);
    life.apply({ kind: 'cancel', partition: 0, seq, by: 'ann', reason: 'no "need"' });
  },
  changeClass(life: Life, a: number, b: number) {
    const seq = life.someRun(a);
    const klass = (b % 3) as Class;
    life.apply({ kind: 'changeClass', partition: 0, seq, class: klass, by: 'bob', reason: '' });
  },
  attach(life: Life, a: number, b: number) {
    const name = `w${a % 3}`;
    const holds = life.heldBy(name).filter((_ref, i) => ((b >> i) & 1) === 0);
    const info = buildWorker({ name, instance: `${b % 2}`, total: { slots: 4, memoryMb: 900 } });
    life.apply({ kind: 'attachWorker', info, foreignUse: NO_RESOURCES, holds });
  },
  detach: (life: Life, a: number) => void life.apply({ kind: 'detachWorker', worker: `w${a % 3}` }),
  maintain(life: Life, a: number, b: number) {
    const kinds = ['drainWorker', 'cordonWorker', 'uncordonWorker', 'evictWorker'] as const;
    life.apply({ kind: pick(kinds, b), worker: `w${a % 3}` } as Command);
  },
  readPage: (life: Life) => life.readPage(),
  pageIn: (life: Life) => life.pageIn(),
  fetchIn: (life: Life, a: number) => life.fetchIn(a),
  save: (life: Life) => void life.saved.push(life.saveCheckpoint()),
  takeOver(life: Life, a: number) {
    life.pages.length = 0;
    const checkpoint = a % 2 === 0 ? undefined : life.saved.at(-1);
    life.takeOver(checkpoint === undefined ? {} : { checkpoint });
  },
};

/** An engine to which anything may happen, in any order, and its store. */
export class Life extends Recorded {
  readonly saved: SavedCheckpoint[] = [];
  readonly pages: Command[] = [];

  constructor() {
    super({ settings: SMALL });
    for (const name of ['w0', 'w1']) this.addWorker({ name, total: { slots: 4, memoryMb: 900 } });
  }

  /** In one leap: everything that is due in between comes late, and at once. */
  override advance(ms: number): void {
    this.now += ms;
    this.tick();
  }

  about(pickOne: number, say: (attempt: Attempt) => void): void {
    const live = this.live();
    if (live.length > 0) say(pick(live, pickOne));
  }

  say(
    attempt: Attempt,
    what: { kind: 'checkpoint'; state: Uint8Array } | { kind: 'extend'; byMs: number },
  ): void {
    this.apply({ ...what, worker: attempt.workerName, ref: refOf(attempt) });
  }

  /** The number of a live run, mostly; now and then of none. */
  someRun(a: number): number {
    return [...this.book.runs.keys()][a % (this.book.runs.size + 1)] ?? 999;
  }

  /** Pages are read now and taken in later, as with a real store. */
  readPage(): void {
    for (const page of this.engine.pagesWanted(() => false)) {
      const { partition, lane, after } = page;
      this.pages.push({ kind: 'pageIn', partition, lane, after, ...this.store.readParked(page) });
    }
  }

  pageIn(): void {
    if (this.pages.length === 0) this.readPage();
    for (const page of this.pages.splice(0)) this.apply(page);
  }

  fetchIn(a: number): void {
    const parked = this.store.parkedRuns().filter(({ seq }) => !this.store.ended.has(seq));
    if (parked.length === 0) return;
    const { seq, lane } = pick(parked, a);
    const run = this.store.submitted(seq);
    this.apply({ kind: 'fetchIn', partition: 0, lane, run });
    this.flush();
  }
}

function pick<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}

type Action = { readonly do: keyof typeof DO; readonly a: number; readonly b: number };

const action: fc.Arbitrary<Action> = fc.record({
  do: fc.oneof(
    { weight: 6, arbitrary: fc.constant('submit' as const) },
    { weight: 3, arbitrary: fc.constantFrom('acceptAll' as const, 'succeed' as const) },
    { weight: 12, arbitrary: fc.constantFrom(...(Object.keys(DO) as (keyof typeof DO)[])) },
  ),
  a: fc.nat(1_000),
  b: fc.nat(1_000),
});

export const actions: fc.Arbitrary<Action[]> = fc.array(action, { maxLength: 70, size: 'max' });

export function act(life: Life, { do: kind, a, b }: Action): void {
  DO[kind](life, a, b);
}
