import { type PreviewRequest, previewWindows } from '@signalbox/node/preview';
import type { App } from '../app.ts';

/** A request is a few hundred characters; a longer line is none, and must not fill the memory. */
const LINE_LENGTH_MAX = 65_536;

/**
 * Answers every line of standard input with one line, in order. Answers leave with the chunk that
 * brought their requests, so a program may wait for one before it asks the next.
 */
export async function previewLines(app: App): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  let isCut = false;
  for await (const chunk of app.inputChunks()) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    let answers = '';
    for (const line of lines) {
      answers += answerTo(isCut ? undefined : line, app);
      isCut = false;
    }
    if (rest.length > LINE_LENGTH_MAX) {
      isCut = true;
      rest = '';
    }
    if (answers === '') continue;
    app.terminal.raw(answers);
    await app.terminal.flushed();
  }
  const last = rest + decoder.decode();
  if (last !== '' || isCut) app.terminal.raw(answerTo(isCut ? undefined : last, app));
}

/** Without a line there was one that is too long. Nothing is asked by an empty one. */
function answerTo(line: string | undefined, { terminal }: App): string {
  if (line === undefined || line.length > LINE_LENGTH_MAX) {
    return refused({
      field: 'line',
      message: `a line has at most ${LINE_LENGTH_MAX} characters`,
    });
  }
  if (line.trim() === '') return '';
  const request = parseRequest(line);
  if (request === undefined) return refused({ field: 'line', message: 'it is not a JSON object' });
  const preview = previewWindows(request, terminal.now());
  if (preview.kind === 'refused') return refused(preview.refusal);
  const next = preview.windows.map((window) => new Date(window).toISOString());
  return `${JSON.stringify({ next })}\n`;
}

function parseRequest(line: string): PreviewRequest | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function refused(refusal: { readonly field: string; readonly message: string }): string {
  return `${JSON.stringify({ error: { code: 'invalid', ...refusal } })}\n`;
}
