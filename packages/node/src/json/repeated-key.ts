import type { PathStep } from './field-path.ts';

/** How many members all objects of a parsed value have together: fewer than were written if a key came twice. */
export function memberCount(root: unknown): number {
  const waiting: unknown[] = [root];
  let count = 0;
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const members = Array.isArray(value) ? value : Object.values(value);
    if (!Array.isArray(value)) count += members.length;
    for (const member of members) {
      if (typeof member === 'object' && member !== null) waiting.push(member);
    }
  }
  return count;
}

interface Level {
  /** Null in a list. */
  readonly keys: Set<string> | null;
  step: PathStep;
  /** In an object, before a colon: the next text is a key. */
  atKey: boolean;
}

/** Where a key comes twice in an object of a valid JSON text; slow, and only asked where one does. */
export function repeatedKey(text: string): readonly PathStep[] | null {
  const levels: Level[] = [];
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g)) {
    const level = levels.at(-1);
    if (token === '{') levels.push({ keys: new Set(), step: '', atKey: true });
    else if (token === '[') levels.push({ keys: null, step: 0, atKey: false });
    else if (token === '}' || token === ']') levels.pop();
    else if (level === undefined) continue;
    else if (token === ',') {
      if (level.keys === null) level.step = (level.step as number) + 1;
      else level.atKey = true;
    } else if (level.keys !== null && level.atKey && token !== ':') {
      const key = JSON.parse(token) as string;
      level.atKey = false;
      level.step = key;
      if (level.keys.has(key)) return levels.map(({ step }) => step);
      level.keys.add(key);
    }
  }
  return null;
}
