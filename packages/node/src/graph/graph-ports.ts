import { createRequire } from 'node:module';
import type { Addition, EnginePorts, JobSpec, Scope, TaskDefinition } from '@signalbox/engine';
import { looksLikeBlobRef, TaskDefinition as TaskSchema } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import { conditionPrograms } from '../cel/conditions.ts';
import type { CelPrograms } from '../cel/programs.ts';
import { windowInput } from '../cel/window-input.ts';
import { ApiError } from '../errors/api-error.ts';
import { parseJson } from '../inputs/parents-document.ts';
import { checkConditions } from '../operations/jobs/check-conditions.ts';
import { checkStep } from '../operations/jobs/check-graph.ts';
import { storedTask } from '../operations/jobs/stored-task.ts';

/** The ports of the engine: the language of conditions and templates, and the schema of tasks. */
export function graphPorts(): EnginePorts {
  let programs: CelPrograms | null = null;
  let additions: AdditionSchema | null = null;
  const compile = (expression: string) => {
    programs ??= conditionPrograms();
    return programs.compile({ field: 'when', expression, result: 'bool' });
  };
  return {
    windowInput,
    judge(expression, scope) {
      const compiled = compile(expression);
      if (compiled.kind === 'refused') return { error: compiled.refusal.message };
      const judged = compiled.program.evaluate(variablesOf(scope));
      return judged.kind === 'error' ? { error: judged.message } : { value: judged.value === true };
    },
    reads(expression) {
      const compiled = compile(expression);
      if (compiled.kind === 'refused') return { input: false, tasks: false };
      const { names } = compiled.program;
      return { input: names.has('input'), tasks: names.has('tasks') };
    },
    readAddition(spec, output) {
      additions ??= compileAddition();
      return readAddition(spec, output, additions);
    },
  };
}

function variablesOf({ input, tasks, event }: Scope): Record<string, unknown> {
  const parents = [...tasks].map(([name, { state, output }]) => [
    name,
    { state, output: jsonOf(output) },
  ]);
  return {
    input: jsonOf(input),
    tasks: Object.fromEntries(parents),
    event: event === undefined ? null : jsonOf(event),
  };
}

/** Null if the bytes are not JSON or a reference to a blob: a condition cannot read them. */
function jsonOf(bytes: Uint8Array | null): unknown {
  if (bytes === null || looksLikeBlobRef(bytes)) return null;
  return parseJson(bytes) ?? null;
}

const load = createRequire(import.meta.url);
type AdditionSchema = ReturnType<typeof compileAddition>;

function compileAddition() {
  const { Compile } = load('typebox/schema') as typeof import('typebox/schema');
  const Edge = Type.Object(
    { from: Type.String({ maxLength: 256 }), to: Type.String({ maxLength: 256 }) },
    { additionalProperties: false },
  );
  return Compile(
    Type.Object({
      tasks: Type.Optional(Type.Array(TaskSchema, { maxItems: 200_000 })),
      edges: Type.Optional(Type.Array(Edge, { maxItems: 200_000 })),
    }),
  );
}

function readAddition(
  spec: JobSpec,
  output: Uint8Array,
  schema: AdditionSchema,
): Addition | { error: string } {
  const value = looksLikeBlobRef(output) ? undefined : parseJson(output);
  if (!schema.Check(value)) {
    const [, [first]] = schema.Errors(value);
    return {
      error: `the output does not describe tasks to add: ${first?.instancePath ?? ''} ${first?.message}`,
    };
  }
  const { tasks = [], edges = [] } = value;
  try {
    for (const [i, task] of tasks.entries()) checkStep(task, `tasks[${i}]`);
    checkConditions(tasks);
    const stored = tasks.map((task, i) => storedTask(spec.job, task, `tasks[${i}]`));
    return { tasks: stored as readonly TaskDefinition[], edges };
  } catch (error) {
    if (error instanceof ApiError) return { error: `${error.field}: ${error.message}` };
    throw error;
  }
}
