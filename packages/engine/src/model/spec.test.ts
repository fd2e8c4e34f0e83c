import { describe, expect, it } from 'vitest';
import { Harness } from '../testing/harness.ts';
import { CLASSES, DEFAULT_CLASS, parseClass } from './classes.ts';
import { internShape, withMemory } from './shape.ts';
import { jobSpec } from './spec.ts';

describe('the class of a job', () => {
  it('PRI-01: is P1 where nothing is said', () => {
    const spec = jobSpec({ tenant: 'acme', job: 'job', version: 1, definition: {} });
    expect(CLASSES[spec.class]).toBe('P1');
    expect(CLASSES[DEFAULT_CLASS]).toBe('P1');
    const h = new Harness();
    expect(h.submit().class).toBe(1);
  });

  it('PRI-01: is that of the job, and of the run where the submission says so', () => {
    const h = new Harness();
    expect(h.submit({ class: 2 }).class).toBe(2);
    expect(h.submit({ class: 2, runClass: 0 }).class).toBe(0);
  });

  it('PRI-01: has exactly three names, and any other is unknown', () => {
    expect(['P0', 'P1', 'P2'].map(parseClass)).toEqual([0, 1, 2]);
    for (const name of ['P3', 'p0', '', '0', 'high', ' P1', 'length', '__proto__']) {
      expect(parseClass(name), name).toBeNull();
    }
  });
});

describe('jobSpec', () => {
  it('makes a job without tasks one task that takes one slot', () => {
    const { tasks } = jobSpec({ tenant: 'acme', job: 'job', version: 1, definition: {} });
    expect(tasks.map(({ name, after, before }) => ({ name, after, before }))).toEqual([
      { name: 'main', after: [], before: [] },
    ]);
    expect(tasks[0]?.shape.request).toEqual({
      cpuMilli: 0,
      memoryMb: 0,
      gpu: 0,
      diskMb: 0,
      slots: 1,
    });
  });

  it('knows of every task whom it waits for and who waits for it', () => {
    const definition = {
      tasks: [{ name: 'a' }, { name: 'b', after: ['a'] }, { name: 'c', after: ['a', 'b'] }],
    };
    const { tasks } = jobSpec({ tenant: 'acme', job: 'job', version: 1, definition });
    expect(tasks.map((task) => task.after)).toEqual([[], [0], [0, 1]]);
    expect(tasks.map((task) => task.before)).toEqual([[1, 2], [2], []]);
  });

  it('refuses a task that waits for one that is not there', () => {
    const definition = { tasks: [{ name: 'a', after: ['b'] }] };
    expect(() => jobSpec({ tenant: 'acme', job: 'job', version: 1, definition })).toThrow(
      'unknown task b',
    );
  });
});

describe('shapes', () => {
  const demands = {
    request: { cpuMilli: 1, memoryMb: 2, gpu: 0, diskMb: 0, slots: 1 },
    zone: null,
    labels: { a: '1', b: '2' },
    prefer: {},
    apart: ['x', 'y'],
    executor: null,
  };

  it('are one object for the same demands, in whatever order they are written', () => {
    const shape = internShape(demands);
    expect(internShape({ ...demands, labels: { b: '2', a: '1' }, apart: ['y', 'x'] })).toBe(shape);
  });

  it('differ where any demand differs', () => {
    const others = [
      { ...demands, zone: 'a' },
      { ...demands, labels: { a: '1', b: '3' } },
      { ...demands, labels: { a: '1' } },
      { ...demands, labels: {}, prefer: demands.labels },
      { ...demands, apart: ['x,y'] },
      { ...demands, executor: 'handler' },
      ...Object.keys(demands.request).map((dimension) => ({
        ...demands,
        request: { ...demands.request, [dimension]: 7 },
      })),
    ];
    expect(new Set([demands, ...others].map(internShape)).size).toBe(others.length + 1);
  });

  it('with more memory differ in nothing else', () => {
    const shape = withMemory(internShape(demands), 4096);
    expect(shape).toMatchObject({ ...demands, request: { ...demands.request, memoryMb: 4096 } });
    expect(shape).toBe(
      internShape({ ...demands, request: { ...demands.request, memoryMb: 4096 } }),
    );
  });
});
