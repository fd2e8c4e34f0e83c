import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TaskDefinition } from './jobs.ts';

const page = readFileSync(new URL('../../../../docs/pipelines.md', import.meta.url), 'utf8');

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
}

/** Rows of the table by the member that they are about. */
function rows(): Map<string, string> {
  const section = page.split('## Task settings\n')[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(lines.map((line) => [/^\| `(\w+)` \|/.exec(line)?.[1] ?? line, line]));
}

it('docs/pipelines.md lists every setting of a task, and no other', () => {
  const { properties } = TaskDefinition as unknown as Required<ObjectSchema>;
  expect([...rows().keys()].sort()).toEqual(Object.keys(properties).sort());
});

it('docs/pipelines.md names what settings of a task have in turn', () => {
  const { properties } = TaskDefinition as unknown as Required<ObjectSchema>;
  const missing = Object.entries(properties).flatMap(([name, inner]) =>
    Object.keys(inner.properties ?? {})
      .filter((member) => !new RegExp(`\\b${member}\\b`).test(rows().get(name) ?? ''))
      .map((member) => `${name}.${member}`),
  );
  expect(missing).toEqual([]);
});
