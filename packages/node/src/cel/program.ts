import {
  TypeError as CelTypeError,
  type Environment,
  EvaluationError,
  ParseError,
} from '@marcbachmann/cel-js';
import { EXPRESSION_CHARS_MAX, REASON_CHARS_MAX } from './limits.ts';
import { type Allowance, Meter, type MeteredNode, nodesOf, WorkExceeded } from './meter.ts';
import { type Json, NoJson, toJson } from './to-json.ts';

/** Why an expression cannot be saved, and where in it. */
export interface CelRefusal {
  /** The field of the definition, as its author knows it: `filter`, `input.orderId`. */
  readonly field: string;
  /** Characters before the place that is wrong. */
  readonly position: number;
  /** Says the place too, for those who only show it. */
  readonly message: string;
}

export type Evaluated =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'error'; readonly message: string };

export interface CelProgram {
  readonly expression: string;
  /** Everything that it names; a name of its own making may be among it. */
  readonly names: ReadonlySet<string>;
  /** Never throws and never takes long; an event that does not fit an expression is no accident. */
  evaluate(variables: Readonly<Record<string, unknown>>, allowance?: Allowance): Evaluated;
}

export type Compiled =
  | { readonly kind: 'program'; readonly program: CelProgram }
  | { readonly kind: 'refused'; readonly refusal: CelRefusal };

export interface Source {
  readonly field: string;
  readonly expression: string;
  /** A condition must be true or false; `any` may be every value that JSON has. */
  readonly result: 'bool' | 'any';
}

/** Checks syntax, names and types once, so that what is saved can only fail for its input. */
export function compileCel(environment: Environment, source: Source): Compiled {
  const { expression } = source;
  if (expression.length > EXPRESSION_CHARS_MAX) {
    const message = `the expression exceeds ${EXPRESSION_CHARS_MAX} characters`;
    return refused(source, EXPRESSION_CHARS_MAX, message);
  }
  try {
    const parsed = environment.parse(expression);
    const { valid, type, error } = parsed.check();
    if (!valid) return refusedBy(source, error);
    if (source.result === 'bool' && type !== 'bool' && type !== 'dyn') {
      return refused(source, 0, `the expression must be a bool, not ${type}`);
    }
    const root = parsed.ast as unknown as MeteredNode;
    const regex = [...nodesOf(root)].find((node) => isCallOf(node, 'matches'));
    if (regex !== undefined) {
      const at = (regex as unknown as { pos: number }).pos;
      const message = 'matches() is not supported, because a pattern can run without limit; use ';
      return refused(source, at, `${message}startsWith(), endsWith() or contains()`);
    }
    const meter = new Meter();
    meter.install(root);
    const nodes = nodesOf(root);
    const names = namesIn(nodes);
    const compiled = { run: parsed, meter, baseWork: nodes.size, names };
    return { kind: 'program', program: programOf(source, compiled) };
  } catch (error) {
    return refusedBy(source, error);
  }
}

function programOf(
  { expression, result }: Source,
  compiled: {
    readonly run: (variables: Record<string, unknown>) => unknown;
    readonly meter: Meter;
    /** What it costs whatever it is given. */
    readonly baseWork: number;
    readonly names: ReadonlySet<string>;
  },
): CelProgram {
  const { run, meter, baseWork, names } = compiled;
  return {
    expression,
    names,
    evaluate(variables, allowance) {
      meter.reset(allowance?.left);
      // Nobody reads the stacks of these errors, and they are what makes an error dear.
      const { stackTraceLimit } = Error;
      Error.stackTraceLimit = 0;
      try {
        meter.charge(baseWork);
        const value = toJson(run(variables), meter);
        if (meter.isExceeded) throw new WorkExceeded('the expression exceeds its work limit');
        if (result === 'bool' && typeof value !== 'boolean') {
          return { kind: 'error', message: 'the result is neither true nor false' };
        }
        return { kind: 'value', value };
      } catch (error) {
        return { kind: 'error', message: reasonOf(error) };
      } finally {
        Error.stackTraceLimit = stackTraceLimit;
        if (allowance !== undefined) allowance.left -= meter.used;
      }
    },
  };
}

function namesIn(nodes: Iterable<MeteredNode>): Set<string> {
  const names = new Set<string>();
  for (const { op, args } of nodes) if (op === 'id') names.add(args as string);
  return names;
}

function isCallOf({ op, args }: MeteredNode, name: string): boolean {
  return (op === 'call' || op === 'rcall') && (args as [string])[0] === name;
}

function reasonOf(error: unknown): string {
  if (error instanceof WorkExceeded || error instanceof NoJson) return error.message;
  if (isCelError(error)) return shortened(error.summary);
  // Such as a stack or a string that grew too long; what the runtime says of it is nobody's concern.
  return 'the expression cannot be evaluated';
}

function shortened(text: string): string {
  return text.length <= REASON_CHARS_MAX ? text : `${text.slice(0, REASON_CHARS_MAX)}…`;
}

function isCelError(error: unknown): error is ParseError | CelTypeError | EvaluationError {
  return (
    error instanceof ParseError || error instanceof CelTypeError || error instanceof EvaluationError
  );
}

function refusedBy(source: Source, error: unknown): Compiled {
  const position = isCelError(error) ? (error.range?.start ?? 0) : 0;
  return refused(source, position, reasonOf(error));
}

function refused({ field }: Source, position: number, reason: string): Compiled {
  const message = `${reason}, at character ${position + 1}`;
  return { kind: 'refused', refusal: { field, position, message } };
}
