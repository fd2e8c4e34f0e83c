import { type Class, parseClass } from '@signalbox/engine';
import { OWN_SOURCE } from '@signalbox/protocol';
import type { CelProgram, CelRefusal } from '../cel/program.ts';
import { CelPrograms } from '../cel/programs.ts';
import { type CelTemplate, compileTemplate } from '../cel/template.ts';
import type { Json } from '../cel/to-json.ts';
import type { StoredTrigger } from './stored-trigger.ts';

/** A trigger ready to look at events. */
export interface CompiledTrigger {
  readonly tenant: string;
  readonly name: string;
  readonly version: number;
  readonly job: string;
  readonly paused: boolean;
  readonly source: string | null;
  readonly type: string | null;
  readonly subject: string | null;
  readonly filter: CelProgram | null;
  readonly key: CelProgram | null;
  /** Null: the data of the event. */
  readonly input: CelTemplate | null;
  readonly class: Class | null;
  readonly expects: boolean;
  readonly hook: NonNullable<StoredTrigger['hook']> | null;
  /** It listens to ends of the tenant's own runs. */
  readonly followsRuns: boolean;
}

export type CompiledDefinition =
  | { readonly kind: 'trigger'; readonly trigger: CompiledTrigger }
  | { readonly kind: 'refused'; readonly refusal: CelRefusal };

/** Every expression of triggers sees one variable: the event. */
export function eventPrograms(): CelPrograms {
  return new CelPrograms({ event: 'map' });
}

export function compileTrigger(
  programs: CelPrograms,
  of: { readonly tenant: string; readonly name: string; readonly version: number },
  stored: StoredTrigger,
): CompiledDefinition {
  const parts: { filter: CelProgram | null; key: CelProgram | null } = { filter: null, key: null };
  for (const field of ['filter', 'key'] as const) {
    const expression = stored[field];
    if (expression === undefined) continue;
    const result = field === 'filter' ? 'bool' : 'any';
    const compiled = programs.compile({ field, expression, result });
    if (compiled.kind === 'refused') return compiled;
    parts[field] = compiled.program;
  }
  let input: CelTemplate | null = null;
  if (stored.input !== undefined) {
    const compiled = compileTemplate(programs, { field: 'input', template: stored.input as Json });
    if (compiled.kind === 'refused') return compiled;
    input = compiled.template;
  }
  const { job, source = null, type = null, subject = null, hook = null } = stored;
  const trigger: CompiledTrigger = {
    ...of,
    ...parts,
    input,
    job,
    paused: stored.paused === true,
    source,
    type,
    subject,
    class: stored.class === undefined ? null : parseClass(stored.class),
    expects: stored.expected !== undefined,
    hook,
    followsRuns: hook === null && source === OWN_SOURCE,
  };
  return { kind: 'trigger', trigger };
}
