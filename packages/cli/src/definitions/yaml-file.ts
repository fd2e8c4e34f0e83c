import { type Document, isNode, LineCounter, parseAllDocuments } from 'yaml';
import { requireExact } from '../client/exact-numbers.ts';
import { UserError } from '../user-error.ts';
import { type Wanted, wantedOf } from './wanted.ts';

/** Names of more things than this at once are an attack on memory, not a file. */
const ALIASES_MAX = 100;

/** Every definition in a YAML or JSON text; several documents, and lists in them, are fine. */
export function readYaml(text: string, file: string): Wanted[] {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines });
  if ('empty' in documents) return [];
  return documents.flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) {
      const at = error.linePos?.[0].line ?? 1;
      const [message = ''] = error.message.split(/ at line \d|\n/, 1);
      throw new UserError('usage', `${file}:${at}: ${message}`);
    }
    const content = contentOf(document, file);
    if (content === null) return [];
    const where = (steps: readonly Step[]): string => {
      const at = offsetOf(document, steps) ?? document.range?.[0] ?? 0;
      return `${file}:${lines.linePos(at).line}`;
    };
    const items = Array.isArray(content) ? content.map((_, i) => [i]) : [[]];
    return items.map((base) => {
      const item: unknown = base.length === 0 ? content : (content as unknown[])[base[0] as number];
      return wantedOf(item, (field = '') => where([...base, ...stepsOf(field)]));
    });
  });
}

/** An alias is looked up only here: one that names nothing, or too many of them, is the file's mistake. */
function contentOf(document: Document.Parsed, file: string): unknown {
  try {
    return requireExact(document.toJS({ maxAliasCount: ALIASES_MAX }) as unknown, file);
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new UserError('usage', `${file}: ${error.message}`);
  }
}

type Step = string | number;

/** Where the field is written; what is not there is shown where its owner is. */
function offsetOf(document: Document.Parsed, steps: readonly Step[]): number | undefined {
  for (let length = steps.length; length >= 0; length--) {
    const found: unknown =
      length === 0 ? document.contents : document.getIn(steps.slice(0, length), true);
    if (isNode(found) && found.range) return found.range[0];
  }
  return undefined;
}

/** `tasks[0].inputs["a b"]` as steps; the API writes paths like this. */
export function stepsOf(field: string): Step[] {
  const steps: Step[] = [];
  for (const [, word, position, quoted] of field.matchAll(/([^.[\]"]+)|\[(\d+)\]|\[("[^"]*")\]/g)) {
    if (position !== undefined) steps.push(Number(position));
    else if (quoted !== undefined) steps.push(JSON.parse(quoted) as string);
    else if (word !== undefined) steps.push(word);
  }
  return steps;
}
