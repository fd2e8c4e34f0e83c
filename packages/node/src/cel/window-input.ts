import { createRequire } from 'node:module';
import type { RunWindow, WindowInput } from '@signalbox/engine';
import { WORK_MAX } from './limits.ts';
import type { CelPrograms } from './programs.ts';
import type { CelTemplate, CompiledTemplate } from './template.ts';

/** Larger inputs belong into a blob that the job reads: every window carries its own copy. */
export const INPUT_CHARS_MAX = 65_536;

/** Compiled templates that are kept; the least recently used goes first. */
const TEMPLATES_KEPT = 1_000;

/** What an expression sees as `window`. By hand there is none: the moment stands in its place. */
export interface InputWindow extends Omit<RunWindow, 'kind'> {
  readonly kind: RunWindow['kind'] | 'manual';
}

/** Loaded when a schedule first needs it: most nodes start and live without a single template. */
const load = createRequire(import.meta.url);
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

let programs: CelPrograms | null = null;
const kept = new Map<string, CompiledTemplate>();

/** Compiles the template of a schedule's input, or finds what was compiled before. */
function compiled(text: string): CompiledTemplate {
  const found = kept.get(text);
  if (found !== undefined) {
    kept.delete(text);
    kept.set(text, found);
    return found;
  }
  const { CelPrograms: Programs } = load(
    `./programs.${EXTENSION}`,
  ) as typeof import('./programs.ts');
  const { compileTemplate } = load(`./template.${EXTENSION}`) as typeof import('./template.ts');
  programs ??= new Programs({ window: 'map' });
  const made = compileTemplate(programs, { field: 'input', template: JSON.parse(text) });
  kept.set(text, made);
  if (kept.size > TEMPLATES_KEPT) kept.delete(kept.keys().next().value as string);
  return made;
}

/** The input of one window; an error names the field of the template that failed. */
export function windowInput(text: string, window: InputWindow): ReturnType<WindowInput> {
  if (!text.includes('${')) return { text };
  const made = compiled(text);
  if (made.kind === 'refused') return { error: `${made.refusal.field}: ${made.refusal.message}` };
  return filled(made.template, window);
}

/** Why a template cannot be saved: it does not compile, or fails for a usual window. */
export function templateProblem(
  text: string,
  window: InputWindow,
): { readonly field: string; readonly message: string } | null {
  if (!text.includes('${')) return null;
  const made = compiled(text);
  if (made.kind === 'refused') return made.refusal;
  const tried = filled(made.template, window);
  if ('text' in tried) return null;
  const [, field = 'input', message = tried.error] = /^(input\S*): (.*)$/s.exec(tried.error) ?? [];
  return { field, message };
}

function filled(template: CelTemplate, { at, schedule, kind }: InputWindow) {
  const window = { at: new Date(at).toISOString(), schedule, kind };
  const result = template.evaluate({ window }, { left: WORK_MAX });
  if (result.kind === 'error') return { error: result.message };
  const text = JSON.stringify(result.value);
  if (text.length <= INPUT_CHARS_MAX) return { text };
  return {
    error: `the input has ${text.length} characters; at most ${INPUT_CHARS_MAX} are allowed`,
  };
}
