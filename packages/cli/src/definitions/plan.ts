import type { Checked, Warning } from '@signalbox/protocol';
import { AnsweredError, type Api } from '../client/api.ts';
import { pathOf } from '../client/path-of.ts';
import { UserError } from '../user-error.ts';
import { type Difference, differences } from './differences.ts';
import { KIND_NAMES, KINDS, type Kind, titleOf } from './kinds.ts';
import type { Wanted } from './wanted.ts';

/** What apply would do about one definition. */
export interface Step {
  readonly kind: Kind;
  readonly name: string;
  readonly outcome: 'created' | 'changed' | 'unchanged' | 'deleted';
  /** What the node has now; 0 for nothing. */
  readonly version: number;
  readonly differences: readonly Difference[];
  /** Where the definition is accepted, but probably wrong; each with its place in the file. */
  readonly warnings: readonly string[];
  /** Null where it is to be deleted, because no file names it. */
  readonly wanted: Wanted | null;
}

export interface Plan {
  readonly steps: readonly Step[];
  /** What is wrong with the files, each with its place. Where there is any, nothing is done. */
  readonly problems: readonly string[];
}

type Checking = Checked<Readonly<Record<string, unknown>>>;

/**
 * Compares what is wanted with what the node has. The node checks each definition as if it were saved,
 * so what it would refuse is known before anything is changed.
 */
export async function planOf(
  api: Api,
  wanted: readonly Wanted[],
  { prune }: { prune: boolean },
): Promise<Plan> {
  const steps: Step[] = [];
  const problems: string[] = [];
  for (const kind of KIND_NAMES) {
    for (const each of wanted.filter((one) => one.kind === kind)) {
      try {
        steps.push(await stepOf(api, each, steps));
      } catch (error) {
        problems.push(problemOf(error, each));
      }
    }
  }
  if (prune && problems.length === 0) steps.push(...(await surplus(api, wanted)));
  return { steps, problems };
}

async function stepOf(api: Api, wanted: Wanted, before: readonly Step[]): Promise<Step> {
  const { kind, name, definition } = wanted;
  // The node does not know the job yet. Everything else is checked, and it may have the definition itself.
  const isAhead = kind !== 'Job' && before.some((step) => isCreated(step, definition['job']));
  const path = `${pathOf(KINDS[kind].collection, name)}/check${isAhead ? '?newJob=true' : ''}`;
  const checked = await api.post<Checking>(path, definition);
  const { outcome, version, before: was = {}, after } = checked;
  const warnings = (checked.warnings ?? []).map((warning) => warningOf(warning, wanted));
  return { kind, name, outcome, version, differences: differences(was, after), warnings, wanted };
}

/** `jobs/etl.yaml:12: tasks[1].http.headers.Authorization: …` */
function warningOf({ field, message }: Warning, wanted: Wanted): string {
  return `${wanted.where(field)}: ${titleOf(wanted)}: ${field} ${message}`;
}

function isCreated({ kind, name, outcome }: Step, job: unknown): boolean {
  return kind === 'Job' && outcome === 'created' && name === job;
}

/** `jobs/etl.yaml:12: tasks[1].after[0]: …`; what is not the file's fault is thrown. */
function problemOf(error: unknown, wanted: Wanted): string {
  if (!(error instanceof AnsweredError) || error.exit !== 'usage') {
    if (!(error instanceof AnsweredError) || error.code !== 'not_found') throw error;
  }
  const field = (error.field ?? '').replace(/^definition\./, '');
  const message = error.message.replace(/^definition\./, '');
  return `${wanted.where(field === 'body' ? '' : field)}: ${titleOf(wanted)}: ${message}`;
}

/** What is there and no file names; what hangs on others goes first. */
async function surplus(api: Api, wanted: readonly Wanted[]): Promise<Step[]> {
  const named = new Set(wanted.map(titleOf));
  const steps: Step[] = [];
  for (const kind of KIND_NAMES.toReversed()) {
    const path = `/${KINDS[kind].collection}`;
    type Item = { name: string; version: number };
    for await (const { name, version } of api.items<Item>(path, {}, Number.MAX_SAFE_INTEGER)) {
      if (named.has(titleOf({ kind, name }))) continue;
      const none = { differences: [], warnings: [], wanted: null };
      steps.push({ kind, name, outcome: 'deleted', version, ...none });
    }
  }
  return steps;
}

/** With the version of the plan, so that a concurrent change is not lost. */
export async function carryOut(api: Api, step: Step): Promise<number> {
  const { kind, name, outcome, version, wanted } = step;
  if (outcome === 'unchanged') return version;
  const path = pathOf(KINDS[kind].collection, name);
  const seen: Record<string, string> =
    outcome === 'created' ? { 'if-none-match': '*' } : { 'if-match': `"${version}"` };
  try {
    const saved =
      wanted === null
        ? await api.delete<{ version: number }>(path, seen)
        : await api.put<{ version: number }>(path, wanted.definition, seen);
    return saved?.version ?? version;
  } catch (error) {
    if (!(error instanceof AnsweredError) || error.exit !== 'conflict') throw error;
    const message = `the ${titleOf(step)} was changed by another request: ${error.message}`;
    throw new UserError('conflict', message, 'see the difference with: signalbox diff -f …');
  }
}
