import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as exported from './index.ts';
import { job, RunHandle, Signalbox } from './index.ts';
import { BothPlaces } from './test-programs/both-places.ts';
import * as testing from './testing/index.ts';
import { SimulatedRun, Simulation, simulate } from './testing/index.ts';

/** As a file says it whose types nobody has checked. */
const unchecked = (options: object) => options as never;
const later = job('later', () => 1);
const FAR = 3_600_000;

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

interface Call {
  readonly call: (options: never) => unknown;
  readonly typed: string;
  readonly meant: string;
}

const both = new BothPlaces();
let box: Signalbox;
let run: RunHandle<number>;
let world: Simulation;
beforeAll(async () => {
  await both.start();
  box = await both.connect(both.key);
  await box.apply([later]);
  run = await box.submit(later, undefined, { delay: FAR });
  world = await simulate({ jobs: [later] });
});
afterAll(async () => {
  await world.close();
  await box.close();
  await both.stop();
});

/** Each public call: how it is called with options, or that it takes none. */
const CALLS: Readonly<Record<string, Call | 'takes no options'>> = {
  'Signalbox.open': {
    call: (options) => Signalbox.open('memory:', options),
    typed: 'datadir',
    meant: 'dataDir',
  },
  'Signalbox.connect': {
    call: (options) => Signalbox.connect(both.url, options),
    typed: 'tennant',
    meant: 'tenant',
  },
  'Signalbox.connect retries': {
    call: (options) => Signalbox.connect(both.url, { retries: options }),
    typed: 'delayMs',
    meant: 'delay',
  },
  'box.apply': 'takes no options',
  'box.submit': {
    call: (options) => box.submit(later, undefined, options),
    typed: 'delayMs',
    meant: 'delay',
  },
  'box.submitMany': {
    call: (options) => box.submitMany(later, [{}], options),
    typed: 'singal',
    meant: 'signal',
  },
  'box.submitMany items': {
    call: (options) => box.submitMany(later, [{}, options]),
    typed: 'inputs',
    meant: 'input',
  },
  'box.runs.get': 'takes no options',
  'box.runs.list': { call: (query) => box.runs.list(query), typed: 'stat', meant: 'state' },
  'box.runs.all': { call: (query) => drain(box.runs.all(query)), typed: 'jobs', meant: 'job' },
  'box.runs.handle': 'takes no options',
  'box.runs.cancel': {
    call: (options) => box.runs.cancel(options),
    typed: 'dryrun',
    meant: 'dryRun',
  },
  'box.runs.retry': {
    call: (filter) => box.runs.retry({ filter }),
    typed: 'stat',
    meant: 'state',
  },
  'box.cancel': 'takes no options',
  'box.retry': 'takes no options',
  'box.approve': 'takes no options',
  'box.reject': 'takes no options',
  'box.signal': 'takes no options',
  'box.why': 'takes no options',
  'box.logs': {
    call: (options) => drain(box.logs(run.id, options)),
    typed: 'folow',
    meant: 'follow',
  },
  'box.events': { call: (options) => drain(box.events(options)), typed: 'jobs', meant: 'job' },
  'box.work': {
    call: (options) => box.work([later], options),
    typed: 'concurency',
    meant: 'concurrency',
  },
  'box.close': 'takes no options',
  'run.view': 'takes no options',
  'run.wait': { call: (options) => run.wait(options), typed: 'timeoutMs', meant: 'timeout' },
  'run.result': { call: (options) => run.result(options), typed: 'timeoutMs', meant: 'timeout' },
  'run.bytes': { call: (options) => run.bytes(options), typed: 'timeoutMs', meant: 'timeout' },
  'run.cancel': 'takes no options',
  'run.logs': { call: (options) => drain(run.logs(options)), typed: 'tasks', meant: 'task' },
  'run.events': {
    call: (options) => drain(run.events(options)),
    typed: 'signals',
    meant: 'signal',
  },
  job: { call: (options) => job('a', options, () => 1), typed: 'zones', meant: 'zone' },
  task: {
    call: (options) => job('a', { tasks: { one: exported.task(options, () => 1) } }),
    typed: 'afer',
    meant: 'after',
  },
  isolated: {
    call: (options) => exported.isolated('/a.ts', options),
    typed: 'exports',
    meant: 'export',
  },
  pipeline: {
    call: (options) => exported.pipeline('a', options, () => undefined),
    typed: 'failurepolicy',
    meant: 'failurePolicy',
  },
  toDefinition: 'takes no options',
  cel: 'takes no options',
  optional: 'takes no options',
  simulate: {
    call: (params) => simulate({ jobs: [later], ...(params as object) }),
    typed: 'sead',
    meant: 'seed',
  },
  'simulation.start': 'takes no options',
  'simulation.advance': 'takes no options',
  'simulation.submit': {
    call: (options) => world.submit(later, undefined, options),
    typed: 'delayMs',
    meant: 'delay',
  },
  'simulation.schedule': {
    call: (when) => world.schedule('often', later, when),
    typed: 'jiter',
    meant: 'jitter',
  },
  'simulation.run': 'takes no options',
  'simulation.runs': 'takes no options',
  'simulation.cancel': 'takes no options',
  'simulation.retry': 'takes no options',
  'simulation.output': 'takes no options',
  'simulation.approve': {
    call: (said) => world.approve(run.id, 'main', said),
    typed: 'coment',
    meant: 'comment',
  },
  'simulation.signal': 'takes no options',
  'simulation.failNext': {
    call: (options) => world.failNext(later, new Error('no'), options),
    typed: 'time',
    meant: 'times',
  },
  'simulation.takes': {
    call: (options) => world.takes(later, '1m', options),
    typed: 'tasks',
    meant: 'task',
  },
  'simulation.fake': {
    call: (options) => world.fake(later, () => 1, options),
    typed: 'tsak',
    meant: 'task',
  },
  'simulation.loseWorker': 'takes no options',
  'simulation.logs': 'takes no options',
  'simulation.close': 'takes no options',
  'simulatedRun.view': 'takes no options',
  'simulatedRun.state': 'takes no options',
  'simulatedRun.result': 'takes no options',
  'simulatedRun.bytes': 'takes no options',
  'simulatedRun.cancel': 'takes no options',
};

/** The names of the functions of a class, its constructor and accessors left out. */
function methodsOf(prototype: object, prefix: string): string[] {
  return Object.entries(Object.getOwnPropertyDescriptors(prototype))
    .filter(([name, { value }]) => name !== 'constructor' && typeof value === 'function')
    .map(([name]) => `${prefix}.${name}`);
}

function isClass(value: unknown): boolean {
  return typeof value === 'function' && /^class\b/.test(String(value));
}

/** Classes of which users call methods; the others are errors. */
const WITH_METHODS = ['Signalbox', 'RunHandle', 'Simulation', 'SimulatedRun'];

describe('an option that is not known', () => {
  it('is looked for in every public call', () => {
    const all = { ...exported, ...testing };
    const functions = Object.entries(all).flatMap(([name, value]) => (isClass(value) ? [] : name));
    const classes = Object.entries(all).flatMap(([name, value]) => (isClass(value) ? name : []));
    const errors = classes.filter((name) => name.endsWith('Error'));
    expect(classes.toSorted()).toEqual([...WITH_METHODS, ...errors].toSorted());
    const calls = [
      ...functions,
      ...methodsOf(Signalbox, 'Signalbox'),
      ...methodsOf(Signalbox.prototype, 'box'),
      ...Object.keys(box.runs).map((name) => `box.runs.${name}`),
      ...methodsOf(RunHandle.prototype, 'run'),
      ...methodsOf(Simulation.prototype, 'simulation'),
      ...methodsOf(SimulatedRun.prototype, 'simulatedRun'),
    ];
    const listed = Object.keys(CALLS).filter((name) => !name.includes(' '));
    expect(listed.toSorted()).toEqual(calls.toSorted());
  });

  const taking = Object.entries(CALLS).flatMap(([name, call]) =>
    call === 'takes no options' ? [] : [{ name, ...call }],
  );

  it.each(taking)('is refused by $name', async ({ call, typed, meant }) => {
    const refused = expect(async () => call(unchecked({ [typed]: 1 }))).rejects;
    await refused.toThrow(`"${typed}" (did you mean "${meant}"?)`);
    await expect(async () => call(unchecked({ [typed]: 1 }))).rejects.toBeInstanceOf(TypeError);
  });

  const calls = taking.filter(({ name }) => /^(box|run|simulation|Signalbox)\./.test(name));
  it.each(calls)('in place of options, text is refused by $name', async ({ call }) => {
    await expect(async () => call('fast' as never)).rejects.toThrow('options');
  });

  it('changes nothing', async () => {
    const before = (await box.runs.list()).items.length;
    await expect(box.submit(later, undefined, unchecked({ delayMs: 5 }))).rejects.toThrow(
      TypeError,
    );
    await expect(box.submitMany(later, [{}, unchecked({ kee: 5 })])).rejects.toThrow(TypeError);
    expect((await box.runs.list()).items).toHaveLength(before);
  });
});
