import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../tools/files.ts';
import type { Comparison } from '../compare.ts';
import type { System } from '../systems/system.ts';
import { renderMarkdown } from './markdown.ts';
import { merge, type PeersRecord } from './record.ts';
import { plotFile, renderPlot } from './svg.ts';

const BEGIN = '<!-- peers: begin -->';
const END = '<!-- peers: end -->';
const HEADING = '## Comparison with other systems';

const page = join(root, 'docs', 'performance.md');
const folder = join(root, 'docs', 'performance');
const recordFile = join(folder, 'peers.json');

/** Renews the part of docs/performance.md that is about peers, and its plots. */
export function writeReport(comparison: Comparison, systems: readonly System[]): void {
  const old = existsSync(recordFile)
    ? (JSON.parse(readFileSync(recordFile, 'utf8')) as PeersRecord)
    : null;
  const record = merge(old, comparison);
  mkdirSync(folder, { recursive: true });
  writeFileSync(recordFile, `${JSON.stringify(record, null, 2)}\n`);
  for (const { shape, lines } of record.shapes) {
    const file = plotFile(shape);
    if (file !== null) writeFileSync(join(folder, file), renderPlot(shape, lines));
  }
  const text = readFileSync(page, 'utf8');
  writeFileSync(page, replaceReport(text, renderMarkdown(record, systems)));
}

/** Puts the report between its marks; a page that has none gets them at its end. */
export function replaceReport(text: string, report: string): string {
  const from = text.indexOf(BEGIN);
  const to = text.indexOf(END);
  const block = `${BEGIN}\n\n${report}\n\n${END}`;
  if (from < 0 || to < from) return `${text.trimEnd()}\n\n${HEADING}\n\n${block}\n`;
  return `${text.slice(0, from)}${block}${text.slice(to + END.length)}`;
}
