import type { AttemptView, RunView, TaskView } from '@signalbox/protocol';
import { describe, expect, it } from 'vitest';
import { runGraph } from '../graph/run-graph.ts';
import { fakeApp } from '../testing/fake-app.ts';
import { paint } from './paint.ts';
import { printRun } from './run-view.ts';
import { taskRows } from './task-rows.ts';
import { timeline } from './timeline.ts';

const BASE = Date.parse('2026-01-01T00:00:00Z');
const at = (ms: number): string => new Date(BASE + ms).toISOString();

function attempt(number: number, fromMs: number, untilMs: number | null): AttemptView {
  return {
    id: `a${number}`,
    number,
    worker: 'w-1',
    assignedAt: at(fromMs),
    startedAt: at(fromMs),
    endedAt: untilMs === null ? null : at(untilMs),
    outcome: untilMs === null ? '' : 'succeeded',
  };
}

function task(name: string, more: Partial<TaskView> = {}): TaskView {
  const rest = { error: null, progress: null, runAt: null, attempts: [] };
  return { id: `r:${name}`, name, state: 'PENDING', ...rest, ...more };
}

const TASKS: TaskView[] = [
  task('list', { state: 'SUCCEEDED', attempts: [attempt(1, 0, 1_000), attempt(2, 2_000, 3_000)] }),
  task('convert'),
  task('merge'),
  task('convert_chunk_0', { state: 'SUCCEEDED', attempts: [attempt(1, 3_000, 5_000)] }),
  task('convert_chunk_1', { state: 'RUNNING', attempts: [attempt(1, 4_000, null)] }),
  task('convert_chunk_2', { state: 'FAILED', error: 'no such file', attempts: [] }),
  task('stray_chunk_0'),
];

describe('taskRows', () => {
  it('tells a fan-out with its children as one, and how far it has come', () => {
    const rows = taskRows(TASKS);
    expect(rows.map(({ name, state, tally }) => [name, state, tally])).toEqual([
      ['list', 'SUCCEEDED', null],
      ['convert', 'RUNNING', '1 of 3, 1 failed, 1 running'],
      ['merge', 'PENDING', null],
      ['stray_chunk_0', 'PENDING', null],
    ]);
    expect(rows[1]).toMatchObject({ error: 'no such file', worker: '' });
    expect(rows[1]?.attempts).toHaveLength(2);
  });

  it('names the run that a task waits for', () => {
    const [row] = taskRows([task('audit', { nestedRun: 'run-2' })]);
    expect(row).toMatchObject({ name: 'audit', tally: 'run run-2' });
  });

  it('folds ten thousand children without delay', () => {
    const children = Array.from({ length: 10_000 }, (_, i) => task(`convert_chunk_${i}`));
    expect(taskRows([task('convert'), ...children])).toHaveLength(1);
  });
});

describe('the graph of a run', () => {
  it('has edges to and from what was added at run time', () => {
    const definition = { tasks: [{ name: 'plan' }, { name: 'end', after: ['plan'] }] };
    const rows = taskRows([
      task('plan'),
      task('end', { after: ['plan', 'y'] }),
      task('x', { after: ['plan'] }),
      task('y', { after: ['x'] }),
    ]);
    const { boxes, edges } = runGraph(definition, rows);
    const named = edges.map((edge) => edge.map((box) => boxes[box]?.name).join('>'));
    expect(named.sort()).toEqual(['plan>end', 'plan>x', 'x>y', 'y>end']);
  });
});

describe('timeline', () => {
  it('has a shaded bar for a wait, as long as it was', () => {
    const rows = taskRows([
      task('a', { state: 'SUCCEEDED', attempts: [attempt(1, 0, 5_000)] }),
      task('night', { state: 'SUCCEEDED', wait: { from: at(5_000), until: at(10_000) } }),
      task('ask', { wait: { from: at(10_000), until: null } }),
    ]);
    const shared = { from: BASE, until: BASE + 20_000, columns: 42, paint: paint(false) };
    expect(timeline(rows, { ...shared, isAscii: true }).slice(1)).toEqual([
      'a         #####                 5.0 s',
      'night          -----            5.0 s',
      'ask                 ----------  10.0 s',
    ]);
    expect(timeline(rows, { ...shared, isAscii: false })[2]).toContain('░░░░░');
  });

  it('has a bar for each task, dots between attempts, and heights for how many at once', () => {
    const params = { from: BASE, until: BASE + 6_000, columns: 34, paint: paint(false) };
    expect(timeline(taskRows(TASKS).slice(0, 3), { ...params, isAscii: false })).toEqual([
      '          0      6.0 s',
      'list      ██··██        3.0 s',
      'convert         ▄▄██▄▄  3.0 s',
      'merge',
    ]);
    expect(timeline(taskRows(TASKS).slice(0, 1), { ...params, isAscii: true })[1]).toBe(
      'list      ##..##        3.0 s',
    );
  });
});

describe('printRun', () => {
  it('shows tasks, times and the timeline on a terminal', () => {
    const app = fakeApp({ isTty: true, now: BASE + 6_000 });
    const run: RunView = {
      id: 'r',
      job: 'etl',
      jobVersion: 3,
      priority: 'P1',
      state: 'RUNNING',
      submittedAt: at(0),
      endedAt: null,
      tasks: TASKS,
    };
    printRun(app.terminal, run, { isAscii: false, hasTimeline: true });
    expect(app.out.find((line) => line.startsWith('convert'))).toMatch(
      /^convert +RUNNING +2 +3\.0 s +1 of 3, 1 failed, 1 running; no such file$/,
    );
    expect(app.texts.out).toContain('██');
  });
});

describe('runGraph', () => {
  it('is the graph of the job with the states of the run, and what came later beside it', () => {
    const definition = {
      tasks: [{ name: 'list' }, { name: 'convert', after: ['list'], fanOut: { from: 'list' } }],
    };
    const { boxes, edges } = runGraph(definition, taskRows(TASKS));
    expect(boxes.map(({ name, state, notes }) => [name, state, ...notes])).toEqual([
      ['list', 'SUCCEEDED', 'SUCCEEDED'],
      ['convert', 'RUNNING', 'RUNNING', '1 of 3, 1 failed, 1 running'],
      ['merge', 'PENDING', 'PENDING'],
      ['stray_chunk_0', 'PENDING', 'PENDING'],
    ]);
    expect(edges).toEqual([[0, 1]]);
  });
});
