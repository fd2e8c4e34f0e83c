import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Job, Signalbox, toDefinition } from 'signalbox';
import { expect, it, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
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

it('the release in YAML asks a person between two commands', async () => {
  const path = resolve(import.meta.dirname, '../../examples/jobs/release.yaml');
  const [document] = parseAllDocuments(await readFile(path, 'utf8')).map((each) => each.toJS());
  const { kind: _kind, name, ...definition } = document as { kind: string; name: string };
  const release = { name, definition, handlers: new Map() } as Job<unknown, unknown>;
  await using box = await Signalbox.open('memory:');
  await box.work([release], { executors: ['command'] });
  const run = await box.submit(release, undefined);
  await vi.waitFor(
    async () =>
      expect(await box.why(`${run.id}:approve`)).toMatchObject({ reason: 'WAITING_PERSON' }),
    { timeout: 25_000 },
  );
  await box.approve(`${run.id}:approve`, 'as agreed');
  expect(await run.result()).toMatchObject({ published: '1.2.0' });
});
