import type { Job } from '@signalbox/protocol';
import { AnsweredError, type Api } from '../client/api.ts';
import { escapeControls } from '../print/table.ts';
import type { Terminal } from '../print/terminal.ts';
import { type Difference, differences } from './differences.ts';
import type { WantedJob } from './read-definitions.ts';

export interface Step {
  readonly job: WantedJob;
  readonly kind: 'create' | 'change' | 'keep';
  /** What the node has now; 0 for nothing. */
  readonly version: number;
  readonly differences: readonly Difference[];
}

/** Compares what is wanted with what the node has. Jobs that no file names are left alone. */
export async function planOf(api: Api, wanted: readonly WantedJob[]): Promise<Step[]> {
  const steps: Step[] = [];
  for (const job of wanted) {
    const current = await currentOf(api, job.name);
    const found = differences(current?.definition ?? {}, job.definition);
    const kind = current === null ? 'create' : found.length === 0 ? 'keep' : 'change';
    steps.push({ job, kind, version: current?.version ?? 0, differences: found });
  }
  return steps;
}

/** Each under the version that the plan was made on: what somebody else changed since is not lost. */
export async function carryOut(api: Api, step: Step): Promise<Job> {
  const header: Record<string, string> =
    step.kind === 'create' ? { 'if-none-match': '*' } : { 'if-match': `"${step.version}"` };
  return api.put<Job>(`/jobs/${encodeURIComponent(step.job.name)}`, step.job.definition, header);
}

export function printPlan(terminal: Terminal, steps: readonly Step[]): void {
  const { paint } = terminal;
  for (const { job, kind, differences: found } of steps) {
    if (kind === 'keep') terminal.line(paint.dim(`  ${job.name}: unchanged`));
    else {
      const sign = kind === 'create' ? paint.green('+') : paint.yellow('~');
      terminal.line(
        `${sign} ${paint.bold(job.name)}: ${kind === 'create' ? 'new' : 'changed'} (${job.file})`,
      );
    }
    for (const each of found) terminal.line(`    ${lineOf(terminal, each)}`);
  }
}

function lineOf({ paint }: Terminal, { path, before, after }: Difference): string {
  const [was, is] = [shown(before), shown(after)];
  if (before === undefined) return paint.green(`+ ${path}: ${is}`);
  if (after === undefined) return paint.red(`- ${path}: ${was}`);
  return paint.yellow(`~ ${path}: ${was} → ${is}`);
}

function shown(value: unknown): string {
  return escapeControls(JSON.stringify(value) ?? '');
}

async function currentOf(api: Api, name: string): Promise<Job | null> {
  try {
    const job = await api.get<Job>(`/jobs/${encodeURIComponent(name)}`);
    return job.state === 'deleted' ? null : job;
  } catch (error) {
    if (error instanceof AnsweredError && error.code === 'not_found') return null;
    throw error;
  }
}
