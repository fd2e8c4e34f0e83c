import { JobDefinition } from '@signalbox/protocol';
import { Type } from '@signalbox/protocol/type';
import { describe, expect, it } from 'vitest';
import { checkOf } from './validate.ts';

const State = Type.Union(['PENDING', 'RUNNING', 'FAILED'].map((word) => Type.Literal(word)));
const check = checkOf(
  Type.Object({
    state: Type.Optional(State),
    days: Type.Optional(Type.Union([Type.Object({}), Type.String()])),
  }),
  'query',
);

describe('what is refused', () => {
  it('names every word where one of several was expected', async () => {
    await expect(check({ state: 'LOST' })).rejects.toMatchObject({
      code: 'invalid',
      field: 'state',
      message: 'must be one of "PENDING", "RUNNING", "FAILED"',
    });
  });

  it('says once that nothing fits where the choices are no words', async () => {
    await expect(check({ days: 3 })).rejects.toMatchObject({
      field: 'days',
      message: 'does not match any allowed form',
    });
  });

  it('h61 names the one invalid task of 100,000, or says that there are too many, within a second', async () => {
    const checkBody = checkOf(Type.Object({ definition: JobDefinition }), 'body');
    const tasks: unknown[] = Array.from({ length: 100_000 }, (_, i) => ({ name: `t${i}` }));
    tasks[70_000] = { name: 't', retry: { maxAttempts: 0 } };
    // The first check compiles the schema.
    await checkBody({ definition: {} });
    const startedAt = performance.now();
    await expect(checkBody({ definition: { tasks } })).rejects.toMatchObject({
      code: 'invalid',
      field: 'definition.tasks[70000].retry.maxAttempts',
    });
    await expect(checkBody({ definition: { tasks: [...tasks, {}] } })).rejects.toMatchObject({
      field: 'definition.tasks',
      message: 'must not have more than 100000 items',
    });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('names an invalid item of a long list in a long list, and an invalid member beside them', async () => {
    const Row = Type.Object({ cells: Type.Array(Type.Integer()) });
    const checkTable = checkOf(Type.Object({ rows: Type.Array(Row), name: Type.String() }), 'body');
    const rows = Array.from({ length: 200 }, () => ({ cells: Array<unknown>(300).fill(1) }));
    await expect(checkTable({ rows, name: 1 })).rejects.toMatchObject({ field: 'name' });
    (rows[150] as { cells: unknown[] }).cells[250] = 'x';
    await expect(checkTable({ rows, name: 'a' })).rejects.toMatchObject({
      field: 'rows[150].cells[250]',
    });
  });
});
