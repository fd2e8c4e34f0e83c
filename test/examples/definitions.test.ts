import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { toDefinition } from 'signalbox';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { etl } from '../../examples/etl/etl.ts';

it('the pipeline in TypeScript and the one in YAML are the same definition', async () => {
  const path = resolve(import.meta.dirname, '../../examples/etl/etl.yaml');
  const { kind, name, ...definition } = parse(await readFile(path, 'utf8')) as {
    kind: string;
    name: string;
  };
  expect([kind, name]).toEqual(['Job', etl.name]);
  expect(toDefinition(etl)).toEqual(definition);
});
