import { Environment } from '@marcbachmann/cel-js';
import {
  CALL_ARGUMENTS_MAX,
  EXPRESSION_DEPTH_MAX,
  EXPRESSION_NODES_MAX,
  LITERAL_ITEMS_MAX,
} from './limits.ts';
import { boundRuntimeTypes } from './runtime-types.ts';

boundRuntimeTypes();

/** What a variable holds: `map` is a JSON object, `dyn` any JSON value. */
export type VariableType = 'map' | 'list' | 'string' | 'bool' | 'dyn';

const CEL_TYPES: Record<VariableType, string> = {
  map: 'map<string, dyn>',
  list: 'list<dyn>',
  string: 'string',
  bool: 'bool',
  dyn: 'dyn',
};

const ARITHMETIC: readonly [string, (left: number, right: number) => number][] = [
  ['+', (left, right) => left + right],
  ['-', (left, right) => left - right],
  ['*', (left, right) => left * right],
  ['/', (left, right) => left / right],
];

/**
 * An environment declares the variables of a kind of expression. A name that is not declared is refused
 * when the expression is saved, not when an event comes.
 *
 * Numbers of JSON are doubles, as CEL has it, and literals without a point are integers. Arithmetic
 * between the two is declared here: `event.data.count + 1` is what people write, and strict CEL would
 * refuse it.
 */
export function celEnvironment(variables: Readonly<Record<string, VariableType>>): Environment {
  const environment = new Environment({
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: {
      maxAstNodes: EXPRESSION_NODES_MAX,
      maxDepth: EXPRESSION_DEPTH_MAX,
      maxListElements: LITERAL_ITEMS_MAX,
      maxMapEntries: LITERAL_ITEMS_MAX,
      maxCallArguments: CALL_ARGUMENTS_MAX,
    },
  });
  for (const [operator, apply] of ARITHMETIC) {
    const mixed = (left: number | bigint, right: number | bigint) =>
      apply(Number(left), Number(right));
    environment.registerOperator(`int ${operator} double: double`, mixed);
    environment.registerOperator(`double ${operator} int: double`, mixed);
  }
  for (const [name, type] of Object.entries(variables)) {
    environment.registerVariable(name, CEL_TYPES[type]);
  }
  return environment;
}
