import { TEMPLATE_DEPTH_MAX, TEMPLATE_EXPRESSIONS_MAX } from './limits.ts';
import type { Allowance } from './meter.ts';
import type { CelProgram, CelRefusal, Evaluated } from './program.ts';
import type { CelPrograms } from './programs.ts';
import type { Json } from './to-json.ts';

/**
 * A JSON value in which a string of the form `${…}` stands for what the expression between the braces
 * yields, with its own type. Text around it is refused rather than joined: `${'a' + b}` says the same,
 * and nobody wonders what a list looks like as text. `$${…}` is the text `${…}`.
 */
export interface CelTemplate {
  /** An error names the field whose expression failed. */
  evaluate(variables: Readonly<Record<string, unknown>>, allowance?: Allowance): Evaluated;
}

export type CompiledTemplate =
  | { readonly kind: 'template'; readonly template: CelTemplate }
  | { readonly kind: 'refused'; readonly refusal: CelRefusal };

type Part =
  | { readonly kind: 'fixed'; readonly value: Json }
  | { readonly kind: 'program'; readonly field: string; readonly program: CelProgram }
  | { readonly kind: 'list'; readonly items: readonly Part[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, Part])[] };

class Refused extends Error {
  readonly refusal: CelRefusal;
  constructor(refusal: CelRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

class Failed extends Error {}

export function compileTemplate(
  programs: CelPrograms,
  source: { readonly field: string; readonly template: Json },
): CompiledTemplate {
  const compiler = { programs, expressionCount: 0 };
  try {
    const root = compilePart(compiler, { ...source, depth: 0 });
    return { kind: 'template', template: templateOf(root) };
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', refusal: error.refusal };
    throw error;
  }
}

interface Place {
  readonly field: string;
  readonly template: Json;
  readonly depth: number;
}

function compilePart(
  compiler: { readonly programs: CelPrograms; expressionCount: number },
  { field, template, depth }: Place,
): Part {
  if (depth > TEMPLATE_DEPTH_MAX)
    throw refusal(field, `the template has more than ${TEMPLATE_DEPTH_MAX} levels of nesting`);
  if (typeof template === 'string') {
    if (template.startsWith('$${')) return { kind: 'fixed', value: template.slice(1) };
    if (!template.includes('${')) return { kind: 'fixed', value: template };
    if (!template.startsWith('${') || !template.endsWith('}')) {
      throw refusal(
        field,
        `must be plain text or a single \${…}; join texts with + inside the braces`,
      );
    }
    compiler.expressionCount += 1;
    if (compiler.expressionCount > TEMPLATE_EXPRESSIONS_MAX) {
      throw refusal(field, `the template has more than ${TEMPLATE_EXPRESSIONS_MAX} expressions`);
    }
    const expression = template.slice(2, -1);
    const compiled = compiler.programs.compile({ field, expression, result: 'any' });
    if (compiled.kind === 'refused') throw new Refused(compiled.refusal);
    return { kind: 'program', field, program: compiled.program };
  }
  if (typeof template !== 'object' || template === null) return { kind: 'fixed', value: template };
  if (isList(template)) {
    const items = template.map((each, index) =>
      compilePart(compiler, { field: `${field}[${index}]`, template: each, depth: depth + 1 }),
    );
    return { kind: 'list', items };
  }
  const entries = Object.entries(template).map(([key, each]) => {
    const place = { field: `${field}.${key}`, template: each, depth: depth + 1 };
    return [key, compilePart(compiler, place)] as const;
  });
  return { kind: 'map', entries };
}

// Array.isArray does not narrow a readonly array out of the union.
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function refusal(field: string, message: string): Refused {
  return new Refused({ field, position: 0, message });
}

function templateOf(root: Part): CelTemplate {
  return {
    evaluate(variables, allowance) {
      const evaluate = (program: CelProgram) => program.evaluate(variables, allowance);
      try {
        return { kind: 'value', value: fill(root, evaluate) };
      } catch (error) {
        if (error instanceof Failed) return { kind: 'error', message: error.message };
        throw error;
      }
    },
  };
}

function fill(part: Part, evaluate: (program: CelProgram) => Evaluated): Json {
  switch (part.kind) {
    case 'fixed':
      return part.value;
    case 'program': {
      const result = evaluate(part.program);
      if (result.kind === 'error') throw new Failed(`${part.field}: ${result.message}`);
      return result.value;
    }
    case 'list':
      return part.items.map((each) => fill(each, evaluate));
    case 'map':
      return Object.fromEntries(part.entries.map(([key, each]) => [key, fill(each, evaluate)]));
  }
}
