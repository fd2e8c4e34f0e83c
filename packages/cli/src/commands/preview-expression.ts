import { type PreviewRefusal, previewWindows } from '@signalbox/node/preview';
import type { App } from '../app.ts';
import { printJson } from '../print/json.ts';
import { previewAnswer, printPreview } from '../print/preview-view.ts';
import { UserError } from '../user-error.ts';
import { previewLines } from './preview-lines.ts';

/** The windows of one expression, or of every line of standard input. */
export async function previewExpression(
  app: App,
  expr: string | undefined,
  options: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (options['stdin'] === true) {
    if (expr !== undefined) throw new UserError('usage', '--stdin takes no expression');
    await previewLines(app);
    return;
  }
  if (expr === undefined) throw new UserError('usage', "missing required argument 'expr'");
  const { timezone, from, until, limit, dstGap, dstOverlap } = options;
  const request = { expr, timezone, from, until, limit: numberOf(limit), dstGap, dstOverlap };
  const preview = previewWindows(request, app.terminal.now());
  if (preview.kind === 'refused') throw mistake(expr, preview.refusal);
  if (options['json'] === true) printJson(app.terminal, previewAnswer(preview));
  else printPreview(app.terminal, preview);
}

/** Text that is no number is left for the one place that refuses it. */
function numberOf(limit: unknown): unknown {
  return typeof limit === 'string' && /^\d{1,6}$/.test(limit) ? Number(limit) : limit;
}

const OPTION_OF: Readonly<Record<string, string>> = {
  timezone: '--timezone',
  from: '--from',
  until: '--until',
  limit: '--limit',
};

function mistake(expr: string, { field, message, position }: PreviewRefusal): UserError {
  if (position === undefined) {
    return new UserError('usage', `${OPTION_OF[field] ?? field}: ${message}`);
  }
  // The arrow stands under the character at fault, behind the width of "hint:  ".
  const arrow = `${' '.repeat(position + 6)}^`;
  const name = field.split('.')[1] ?? 'the expression';
  const isShort = expr.length <= 100 && !/[^ -~]/.test(expr);
  return new UserError('usage', `${name}: ${message}`, isShort ? `${expr}\n${arrow}` : undefined);
}
