import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FRAME_FIELDS, LIST_MAX, NAME_MAX, NUMBER_MAX, RESULT_FIELDS, TEXT_MAX } from './check.ts';
import { ROWS_MAX } from './columns.ts';
import { CLOSE, MESSAGE_BYTES_MAX, PROTOCOL_VERSION } from './frames.ts';

const page = readFileSync(new URL('../../../../docs/worker-protocol.md', import.meta.url), 'utf8');

/** The part of the page below a heading of the second level. */
function section(title: string): string {
  const from = page.indexOf(`\n## ${title}\n`);
  expect(from, `a section ${title}`).toBeGreaterThan(0);
  const to = page.indexOf('\n## ', from + 1);
  return page.slice(from, to === -1 ? undefined : to);
}

/** Frames by their headings, fields by the first column of the table below each. */
function framesOf(text: string): Record<string, string[]> {
  const parts = text.split(/\n### `(\w+)`\n/).slice(1);
  const rows: [string, string[]][] = [];
  for (let i = 0; i < parts.length; i += 2) {
    const fields = [...(parts[i + 1] as string).matchAll(/\n\| `(\w+)`\?? \|/g)];
    rows.push([parts[i] as string, fields.map((match) => match[1] as string)]);
  }
  return Object.fromEntries(rows);
}

describe('docs/worker-protocol.md', () => {
  it('has every frame of a worker with every field, in the order of the code', () => {
    expect(framesOf(section('Frames from the worker'))).toEqual(FRAME_FIELDS.fromWorker);
  });

  it('has every frame of a node with every field, in the order of the code', () => {
    expect(framesOf(section('Frames from the node'))).toEqual(FRAME_FIELDS.fromNode);
  });

  it('has every close code', () => {
    const codes = [...section('Close codes').matchAll(/\n\| (\d{4}) \|/g)].map(([, code]) => code);
    expect(codes.map(Number).sort()).toEqual(Object.values(CLOSE).sort());
  });

  it('has every field of every kind of result', () => {
    const listed = [...page.matchAll(/\n- `\{"kind": "(\w+)"([^`]*)\}`/g)].map(([, kind, rest]) => [
      kind,
      [...(rest as string).matchAll(/"(\w+)"/g)].map(([, field]) => field),
    ]);
    expect(Object.fromEntries(listed)).toEqual(RESULT_FIELDS);
  });

  it.each([
    ['message.columns', ROWS_MAX],
    ['name.length', NAME_MAX],
    ['text.length', TEXT_MAX],
    ['list.length', LIST_MAX],
    ['number.max', NUMBER_MAX],
  ])('has the limit %s', (name, value) => {
    expect(page).toContain(`| \`${name}\` | ${value.toLocaleString('en-US')} |`);
  });

  it('names the version and the size limit', () => {
    expect(page).toContain(`version ${PROTOCOL_VERSION}`);
    expect(page).toContain(MESSAGE_BYTES_MAX.toLocaleString('en-US'));
  });
});
