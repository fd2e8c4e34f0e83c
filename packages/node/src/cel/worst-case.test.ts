import { describe, expect, it } from 'vitest';
import { BODY_BYTES_MAX } from '../api/base.ts';
import { celEnvironment } from './environment.ts';
import { WORK_MAX } from './limits.ts';
import { CelPrograms } from './programs.ts';

/** Far above what any of them takes on a slow machine, and far below what an unmetered one takes. */
const MS_MAX = 3_000;

const text = 'a'.repeat(BODY_BYTES_MAX);
const event = {
  text,
  almost: `${text.slice(1)}b`,
  nearly: `b${text.slice(0, 3_000)}`,
  digits: '1'.repeat(BODY_BYTES_MAX),
  loop: Array.from({ length: 1_000 }, (_, index) => index),
  many: Array.from({ length: 200_000 }, (_, index) => index),
  texts: Array.from({ length: 200_000 }, () => ''),
  map: Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`key${index}`, index])),
};

/** Expressions of each type that are as large as a request allows, or as costly as the type can be. */
const WORST: Readonly<Record<string, readonly string[]>> = {
  string: ['event.text', 'event.almost', 'event.nearly', 'event.digits'],
  'list<dyn>': ['event.many'],
  'list<string>': ['event.texts'],
  'map<dyn, dyn>': ['event.map'],
  bytes: ['raw'],
  dyn: ['event.map', 'event.many', 'event.text'],
  A: ['event.map'],
  'optional<dyn>': ['optional.of(event.map)'],
  'optional<A>': ['optional.of(event.map)'],
  OptionalNamespace: ['optional'],
  CelNamespace: ['cel'],
  int: ['1000'],
  uint: ['1000u'],
  double: ['1e308'],
  bool: ['true'],
  null: ['null'],
  type: ['int'],
  'google.protobuf.Timestamp': ['timestamp(0)'],
  'google.protobuf.Duration': ['duration("1.5s")'],
};

/** Functions whose arguments are not values. */
const MACROS: Readonly<Record<string, string>> = {
  has: 'has(event.map.none)',
  or: 'optional.none().or(optional.of(event.map))',
  orValue: 'optional.none().orValue(event.map)',
  all: 'event.map.all(y, true)',
  exists: 'event.map.exists(y, false)',
  exists_one: 'event.map.exists_one(y, false)',
  map: 'event.map.map(y, y)',
  filter: 'event.map.filter(y, true)',
  bind: 'cel.bind(y, event.map, y)',
};

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['==', '!=', 'in', '+', '-', '*', '/', '%', '<', '<=', '>', '>='].map((operator) => [
      operator,
      ['text', 'many', 'map'].flatMap((left) =>
        ['almost', 'many', 'map'].map((right) => `dyn(event.${left}) ${operator} event.${right}`),
      ),
    ]),
  ),
  '!_': ['!dyn(event.map)'],
  '-_': ['-dyn(event.map)'],
  '||': ['dyn(event.map) || false', 'dyn(event.map).none || false'],
  '&&': ['dyn(event.map) && true', 'dyn(event.map).none && true'],
  '?:': ['dyn(event.map) ? 1 : 2'],
  '.': ['event.map.key9'],
  '.?': ['event.map.?key9'],
  '[]': ['event.map[event.text]', 'event.many[199999]'],
  '[?]': ['event.map[?event.text]'],
  list: ['[event.map, event.text]'],
  map: ['{event.text: event.map}'],
  id: ['event'],
  value: ['1'],
  call: ['size(event.map)'],
  rcall: ['event.map.size()'],
  comprehension: ['event.map.all(y, true)'],
  accuValue: ['event.map.filter(y, false)'],
  accuInc: ['event.map.exists_one(y, true)'],
  accuPush: ['event.map.map(y, event.map)'],
};

/** Small operands, or none at all that depend on the event: the calls cost the same for every event. */
const FIXED =
  /^(id|value|list|map|\.|\.\?|\|\||&&|\?:|!_|-_|-|\*|\/|%)$|^(has|or|orValue|bind|of)$/;

function callsOf(signature: string): string[] {
  const [, receiver, name = '', parameters = ''] =
    /^(?:(.+)\.)?(\w+)\((.*)\): /.exec(signature) ?? [];
  const macro = /\bast\b/.test(parameters) ? MACROS[name] : undefined;
  if (macro !== undefined) return [macro];
  const types = parameters === '' ? [] : parameters.split(/, (?!dyn>)/);
  const operands = [receiver ?? '', ...types].map((type) => {
    if (type === '') return [''];
    const worst = WORST[type];
    if (worst === undefined) throw new Error(`no worst case of type ${type} in ${signature}`);
    return worst;
  });
  const combinations = operands.reduce<string[][]>(
    (before, each) => before.flatMap((chosen) => each.map((operand) => [...chosen, operand])),
    [[]],
  );
  return combinations.map(([target, ...args]) =>
    target === '' ? `${name}(${args.join(', ')})` : `${target}.${name}(${args.join(', ')})`,
  );
}

function evaluate(expression: string) {
  const compiled = new CelPrograms({ event: 'map', raw: 'dyn' }).compile({
    field: 'filter',
    expression,
    result: 'any',
  });
  if (compiled.kind === 'refused') throw new Error(`${expression}: ${compiled.refusal.message}`);
  const allowance = { left: WORK_MAX };
  const began = performance.now();
  const variables = { event, raw: Buffer.from(text) };
  const result = compiled.program.evaluate(variables, allowance);
  const ms = performance.now() - began;
  return { work: WORK_MAX - allowance.left, ms, result };
}

/** Runs the call for each of a thousand items, and goes on after errors. */
function expectBounded(call: string, isFixed: boolean): void {
  const { work, ms } = evaluate(`event.loop.all(x, [${call}].size() == 1)`);
  expect(ms, call).toBeLessThan(MS_MAX);
  const readsLargeOperand = /event\.(text|almost|digits|many|texts|map)|raw/.test(call);
  // A thousand calls that each read a large operand must reach the limit.
  if (readsLargeOperand && !isFixed) expect(work, call).toBe(WORK_MAX);
}

const { functions } = celEnvironment({}).getDefinitions();
const supported = functions.filter(
  ({ name, signature }) =>
    name !== 'matches' && !/^type\((Optional|Cel)Namespace\)/.test(signature),
);

describe('an expression at its worst', () => {
  it.each(supported.map(({ name, signature }) => [signature, name] as const))(
    'stays within its work: %s',
    (signature, name) => {
      for (const call of callsOf(signature)) expectBounded(call, FIXED.test(name));
    },
  );

  it('stays within its work: every operator', async () => {
    const path = new URL('./operators.js', import.meta.resolve('@marcbachmann/cel-js'));
    const library = (await import(path.href)) as { OPERATORS: Record<string, { name: string }> };
    const names = new Set(Object.values(library.OPERATORS).map((operator) => operator.name));
    expect(Object.keys(OPERATORS).sort()).toEqual([...names].sort());
    for (const [name, calls] of Object.entries(OPERATORS)) {
      for (const call of calls) expectBounded(call, FIXED.test(name) || name === '[]');
    }
  });

  it.each([
    'event.texts.map(each, event.text)',
    '{"a": [event.text, event.text, event.text]}',
    'event.loop.map(each, duration("1.5s"))',
  ])('charges for the size of the result: %s', (expression) => {
    expect(evaluate(expression).result).toEqual({
      kind: 'error',
      message: 'the expression exceeds its work limit',
    });
  });

  it('cuts an error that quotes a long operand', () => {
    const { result } = evaluate('bool(event.text)');
    expect(result.kind === 'error' && result.message.length).toBeLessThan(1_000);
  });

  it('describes the type of a deep value by its first levels, because types are cached', () => {
    const program = new CelPrograms({ event: 'dyn' }).compile({
      field: 'filter',
      expression: 'event + 1',
      result: 'any',
    });
    if (program.kind === 'refused') throw new Error(program.refusal.message);
    const result = program.program.evaluate({ event: [[[[[[[[1]]]]]]]] });
    expect(result).toMatchObject({
      message: expect.stringContaining('list<list<list<list<dyn>>>>'),
    });
  });
});
