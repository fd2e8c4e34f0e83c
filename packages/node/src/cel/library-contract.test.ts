import { Environment, EvaluationError, ParseError } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import { celEnvironment } from './environment.ts';
import { type MeteredNode, nodesOf } from './meter.ts';

// `program.ts`, `meter.ts` and `runtime-types.ts` depend on parts of the library that it does not document. These
// tests name the part that a release changed; without them, expressions would be evaluated without a limit.

const ENVIRONMENT = celEnvironment({ event: 'map' });

function nodeOf(expression: string, op: string): MeteredNode | undefined {
  const parsed = ENVIRONMENT.parse(expression);
  parsed.check();
  return [...nodesOf(parsed.ast as unknown as MeteredNode)].find((node) => node.op === op);
}

describe('the CEL library', () => {
  it.each([
    ['+', 'event.a + event.b'],
    ['<', 'event.a < event.b'],
    ['<=', 'event.a <= event.b'],
    ['>', 'event.a > event.b'],
    ['>=', 'event.a >= event.b'],
    ['==', 'event.a == event.b'],
    ['!=', 'event.a != event.b'],
    ['in', 'event.a in event.b'],
    ['[]', 'event[event.a]'],
    ['call', 'size(event.a)'],
    ['rcall', 'event.a.contains(event.b)'],
    ['comprehension', 'event.a.exists(x, x == 1)'],
  ])('keeps the function of a %s node where the meter replaces it', (op, expression) => {
    const parsed = ENVIRONMENT.parse(expression);
    parsed.check();
    const node = [...nodesOf(parsed.ast as unknown as MeteredNode)].find((each) => each.op === op);
    expect(node, `cel-js has changed: ${expression} has no node with op "${op}"`).toBeDefined();
    expect(
      typeof node?.handle,
      `cel-js has changed: the meter replaces handle of a checked "${op}" node`,
    ).toBe('function');
    let calls = 0;
    (node as MeteredNode).handle = () => {
      calls++;
      throw new Error('replaced');
    };
    expect(() => parsed({ event: { a: ['x'], b: ['x'] } })).toThrow();
    expect(calls, `cel-js has changed: it evaluates "${op}" without node.handle`).toBe(1);
  });

  it('keeps names, arguments and positions of calls in the node', () => {
    const call = nodeOf("event.a.contains('x')", 'rcall');
    expect(
      (call?.args as unknown[] | undefined)?.[0],
      'cel-js has changed: args[0] of a call is its name',
    ).toBe('contains');
    expect(
      typeof (call as { pos?: unknown } | undefined)?.pos,
      'cel-js has changed: pos of a node is its position',
    ).toBe('number');
    expect(nodeOf('event.a', 'id')?.args, 'cel-js has changed: args of an id is its name').toBe(
      'event',
    );
    const loop = nodeOf('event.a.exists(x, x == 1)', 'comprehension')?.args;
    expect(
      Object.keys((loop ?? {}) as object),
      'cel-js has changed: the meter reads these parts of a comprehension',
    ).toEqual(expect.arrayContaining(['iterable', 'init', 'step', 'errorsAreFatal']));
  });

  it('describes an error with a summary and a range', () => {
    const caught = (act: () => unknown): unknown => {
      try {
        return act();
      } catch (error) {
        return error;
      }
    };
    const syntax = caught(() => ENVIRONMENT.parse('event. + 1'));
    expect(syntax, 'cel-js has changed: a syntax error is a ParseError').toBeInstanceOf(ParseError);
    expect(
      [typeof (syntax as ParseError).summary, typeof (syntax as ParseError).range?.start],
      'cel-js has changed: refusals need summary and range.start',
    ).toEqual(['string', 'number']);
    const failed = caught(() => ENVIRONMENT.parse('event.a')({ event: {} }));
    expect(failed, 'cel-js has changed: a failed evaluation is an EvaluationError').toBeInstanceOf(
      EvaluationError,
    );
  });

  it('determines the types of operands with functions of its evaluator', () => {
    const members: Record<string, string> = {};
    const environment = new Environment();
    environment.registerFunction('evaluator(): bool', function (this: Record<string, unknown>) {
      const { registry, dynType } = this as {
        registry?: Record<string, unknown>;
        dynType?: { kind?: unknown };
      };
      for (const name of ['debugType', 'debugTypeDeep']) members[name] = typeof this[name];
      for (const name of ['getListType', 'getMapType']) members[name] = typeof registry?.[name];
      members['dynType.kind'] = typeof dynType?.kind;
      return true;
    });
    environment.evaluate('evaluator()');
    expect(
      members,
      'cel-js has changed: runtime-types.ts replaces debugTypeDeep and uses the other members',
    ).toEqual({
      debugType: 'function',
      debugTypeDeep: 'function',
      getListType: 'function',
      getMapType: 'function',
      'dynType.kind': 'string',
    });
  });
});
