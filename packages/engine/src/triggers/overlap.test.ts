import { describe, expect, it } from 'vitest';
import type { Overlap } from '../model/schedule.ts';
import { jobSpec } from '../model/spec.ts';
import { HOUR, MINUTE, NOON, Scheduled } from '../testing/scheduled.ts';

/** A schedule whose first run goes on for as long as nobody ends it. */
function busy(overlap: Overlap): Scheduled {
  const h = new Scheduled();
  h.endsRuns = false;
  h.save({ overlap });
  h.advance(MINUTE);
  expect(h.firedHours).toEqual([0]);
  return h;
}

const hours = (windows: readonly number[] | null) => windows?.map((w) => (w - NOON) / HOUR);
const reasons = (h: Scheduled) =>
  h.skipped.map(({ from, reason }) => [(from - NOON) / HOUR, reason]);

/** Each policy must hold whoever owns the schedule when the next window comes. */
describe.each([
  ['by one owner', () => {}],
  ['across a fail-over', (h: Scheduled) => h.takeOver()],
])('EXT-03 overlap, %s', (_how, moves) => {
  it('allow: every window has its run, whatever else is live', () => {
    const h = busy('allow');
    moves(h);
    h.advance(2 * HOUR);
    expect(h.firedHours).toEqual([0, 1, 2]);
    expect(h.book.runs.size).toBe(3);
  });

  it('TRG-27 skip: a window whose run would begin beside another has none, and the reason is kept', () => {
    const h = busy('skip');
    moves(h);
    h.advance(2 * HOUR);
    expect(h.firedHours).toEqual([0]);
    expect(h.schedule().skips).toEqual([
      { from: NOON + HOUR, to: NOON + 2 * HOUR, count: 2, reason: 'overlap', at: h.now },
    ]);
    h.endRuns();
    h.flush();
    moves(h);
    h.advance(HOUR);
    expect(h.firedHours).toEqual([0, 3]);
  });

  it('TRG-27 U028 U099 a job that skips overlap has one live run over all its schedules and submissions', () => {
    const h = new Scheduled();
    h.endsRuns = false;
    const spec = jobSpec({
      tenant: 'acme',
      job: 'job',
      version: 1,
      definition: { overlap: 'skip' },
    });
    h.head = { kind: 'ready', spec };
    const submit = () => h.apply({ kind: 'submit', partition: 0, spec, head: {}, input: null });
    h.save({ name: 'a' });
    h.save({ name: 'b', overlap: 'queueAll' });
    h.advance(MINUTE);
    expect(h.book.runs.size).toBe(1);
    expect(reasons(h)).toEqual([[0, 'overlap']]);
    moves(h);
    expect(submit()).toMatchObject({ kind: 'duplicate', seq: [...h.book.runs.keys()][0] });
    h.advance(HOUR);
    expect(h.book.runs.size).toBe(1);
    expect(h.skipped).toHaveLength(3);
    h.endRuns();
    h.flush();
    moves(h);
    // Started by hand: the windows of both schedules find it live.
    expect(submit().kind).toBe('accepted');
    h.flush();
    moves(h);
    h.advance(HOUR);
    expect(h.book.runs.size).toBe(1);
    expect(h.skipped).toHaveLength(5);
    expect(h.schedule('a').held).toBeNull();
    h.endRuns();
    h.advance(HOUR);
    expect(h.fired).toHaveLength(2);
  });

  it('queueOne: one window waits for the end, later ones are skipped', () => {
    const h = busy('queueOne');
    moves(h);
    h.advance(3 * HOUR);
    expect(hours(h.schedule().held)).toEqual([1]);
    expect(reasons(h)).toEqual([
      [2, 'overlap'],
      [3, 'overlap'],
    ]);
    h.endRuns();
    h.flush();
    moves(h);
    h.step();
    expect(h.firedHours).toEqual([0, 1]);
    expect(h.book.runs.size).toBe(1);
  });

  it('queueAll: every window waits for its turn, never two at a time', () => {
    const h = busy('queueAll');
    moves(h);
    h.advance(3 * HOUR);
    expect(hours(h.schedule().held)).toEqual([1, 2, 3]);
    for (let turn = 1; turn <= 3; turn++) {
      h.endRuns();
      h.flush();
      moves(h);
      h.step();
      expect(h.firedHours.at(-1)).toBe(turn);
      expect(h.book.runs.size).toBe(1);
    }
    expect(h.skipped).toEqual([]);
  });

  it('queueAll: no more windows are held than may still fire', () => {
    const h = busy('queueAll');
    h.save({ runsMax: 2 });
    h.flush();
    moves(h);
    h.advance(5 * HOUR);
    expect(hours(h.schedule().held)).toEqual([1]);
    for (let turn = 0; turn < 6; turn++) {
      h.endRuns();
      h.flush();
      moves(h);
      h.advance(HOUR);
    }
    expect(h.firedHours).toEqual([0, 1]);
    expect(h.schedule().timerBucket).toBeNull();
  });

  it('queueAll: where a held window was skipped, a later one fires in its place', () => {
    const h = busy('queueAll');
    h.save({ runsMax: 2 });
    h.advance(HOUR);
    moves(h);
    const setJob = { kind: 'setJob', partition: 0, tenant: 'acme', job: 'job' } as const;
    h.apply({ ...setJob, head: { kind: 'paused' } });
    h.endRuns();
    h.step();
    expect(reasons(h)).toEqual([[1, 'job_paused']]);
    h.apply({ ...setJob, head: h.head });
    h.advance(HOUR);
    expect(h.firedHours).toEqual([0, 2]);
  });

  it('replace: the run before is cancelled, and the newest window starts when it has ended', () => {
    const h = busy('replace');
    h.addWorker();
    const [attempt] = h.acceptAll();
    moves(h);
    if (h.epoch > 1) h.addWorker({ holds: h.heldBy('w1') });
    h.advance(HOUR);
    expect(h.firedHours).toEqual([0]);
    expect(h.run(1).cancel?.reason).toBe('replaced by a later window');
    h.apply({
      kind: 'finish',
      worker: 'w1',
      ref: { ...refOf(attempt), epoch: 1 },
      result: { kind: 'stopped' },
    });
    h.step();
    expect(h.firedHours).toEqual([0, 1]);
    expect(h.book.runs.has(1)).toBe(false);
  });
});

describe('overlap', () => {
  it.each([
    ['skip', []],
    ['queueOne', [1]],
  ] as const)('U045 %s: the end of a run that was in the way floods nothing', (overlap, late) => {
    const h = busy(overlap);
    h.advance(50 * HOUR);
    h.endsRuns = true;
    h.endRuns();
    h.step();
    expect(h.firedHours).toEqual([0, ...late]);
    h.advance(HOUR);
    expect(h.firedHours).toEqual([0, ...late, 51]);
  });

  it('replace: what had not begun ends at once, and the later window fires in the same step', () => {
    const h = busy('replace');
    h.advance(HOUR);
    expect(h.firedHours).toEqual([0, 1]);
    expect([...h.book.runs.keys()]).toEqual([2]);
  });

  it('queueAll: what is held is bounded, the rest is told of', () => {
    const h = busy('queueAll');
    h.advance(105 * HOUR);
    expect(h.schedule().held?.length).toBe(100);
    expect(h.skipped.map(({ reason }) => reason)).toEqual(new Array(5).fill('queue_full'));
  });

  it('a held window whose schedule is deleted is told of', () => {
    const h = busy('queueOne');
    h.advance(HOUR);
    h.remove();
    h.flush();
    expect(reasons(h)).toEqual([[1, 'removed']]);
    expect(h.book.schedules.size).toBe(0);
    h.endRuns();
    h.advance(5 * HOUR);
    expect(h.firedHours).toEqual([0]);
  });
});

function refOf(attempt: Parameters<Scheduled['accept']>[0] | undefined) {
  if (attempt === undefined) throw new Error('nothing runs');
  const { number, epoch, token } = attempt;
  return { partition: 0, seq: attempt.task.run.seq, task: 0, number, epoch, token };
}
