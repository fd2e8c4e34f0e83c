import type { Terminal } from '../print/terminal.ts';
import type { Difference } from './differences.ts';
import { titleOf } from './kinds.ts';
import type { Step } from './plan.ts';

/** What would change, field by field. */
export function printPlan(terminal: Terminal, steps: readonly Step[]): void {
  const { paint } = terminal;
  for (const step of steps) {
    const title = titleOf(step);
    const from = step.wanted === null ? '' : ` (${step.wanted.where()})`;
    switch (step.outcome) {
      case 'unchanged':
        terminal.line(paint.dim(`  ${title}: unchanged`));
        break;
      case 'created':
        terminal.line(`${paint.green('+')} ${paint.bold(title)}: new${from}`);
        break;
      case 'changed':
        terminal.line(`${paint.yellow('~')} ${paint.bold(title)}: changed${from}`);
        break;
      case 'deleted':
        terminal.line(`${paint.red('-')} ${paint.bold(title)}: deleted, as no file names it`);
        break;
    }
    for (const each of step.differences) terminal.line(`    ${lineOf(terminal, each)}`);
  }
}

function lineOf({ paint }: Terminal, { path, before, after }: Difference): string {
  const [was, is] = [shown(before), shown(after)];
  if (before === undefined) return paint.green(`+ ${path}: ${is}`);
  if (after === undefined) return paint.red(`- ${path}: ${was}`);
  return paint.yellow(`~ ${path}: ${was} → ${is}`);
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
