import type { Graph } from '@signalbox/graph';
import { escapeControls } from '../print/safe-text.ts';
import type { Terminal } from '../print/terminal.ts';

export const GRAPH_FORMATS = ['text', 'mermaid', 'svg'] as const;
export type GraphFormat = (typeof GRAPH_FORMATS)[number];

/** A browser draws more than a terminal, but not everything. */
const PICTURE_MAX = 400;

/** What draws is loaded where something is drawn: every command names the formats. */
export async function printGraph(
  terminal: Terminal,
  graph: Graph,
  { format, title, isAscii }: { format: GraphFormat; title: string; isAscii: boolean },
): Promise<void> {
  const { folded, mermaid, svg, textGraph } = await import('@signalbox/graph');
  switch (format) {
    case 'text': {
      const columns = terminal.isTty ? terminal.columns : Number.POSITIVE_INFINITY;
      const style = { ...terminal.paint, escape: escapeControls };
      for (const line of textGraph(graph, { columns, isAscii, style })) terminal.line(line);
      return;
    }
    case 'mermaid': {
      for (const line of mermaid(folded(graph, PICTURE_MAX))) terminal.line(line);
      return;
    }
    case 'svg': {
      terminal.write(svg(folded(graph, PICTURE_MAX), { title }));
      return;
    }
  }
}

/** Whether the terminal says that it knows nothing but ASCII; one that says nothing knows more. */
export function isAsciiOnly(environment: Readonly<Record<string, string | undefined>>): boolean {
  const { LC_ALL, LC_CTYPE, LANG } = environment;
  const locale = [LC_ALL, LC_CTYPE, LANG].find((each) => each !== undefined && each !== '');
  return locale !== undefined && !/utf-?8/i.test(locale);
}
