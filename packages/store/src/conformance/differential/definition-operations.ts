import type { DefinitionKey, DefinitionResult } from '../../definition.ts';
import { KINDS, type Model, NAMES, TENANTS } from './model.ts';
import type { Random } from './random.ts';
import { type Operation, step } from './step.ts';

const AUTHORS = ['ann', 'bob'];

export const putDefinition: Operation = (model, random) => {
  const change = randomChange(model, random);
  const body = `{"n":${model.nextNumber()}}`;
  return step({
    call: (store) => store.putDefinition({ ...change, body }),
    succeeded: ({ kind }) => kind === 'written',
    learn: (answer) => learn(model, change, { answer, deleted: false }),
  });
};

export const deleteDefinition: Operation = (model, random) => {
  const change = randomChange(model, random);
  if (model.definitions.get(nameOf(change))?.deleted) return null;
  return step({
    call: (store) => store.deleteDefinition(change),
    succeeded: ({ kind }) => kind === 'written',
    learn: (answer) => learn(model, change, { answer, deleted: true }),
  });
};

export const restoreDefinition: Operation = (model, random) => {
  const change = randomChange(model, random);
  if (!model.definitions.get(nameOf(change))?.deleted) return null;
  return step({
    call: (store) => store.restoreDefinition(change),
    succeeded: ({ kind }) => kind === 'written',
    learn: (answer) => learn(model, change, { answer, deleted: false }),
  });
};

export const getDefinition: Operation = (_model, random) => {
  const key = randomKey(random);
  const query = random.chance(50) ? key : { ...key, version: 1 + random.below(4) };
  return step({
    call: (store) => store.getDefinition(query),
    succeeded: (answer) => answer !== null,
  });
};

export const listDefinitionVersions: Operation = (_model, random) => {
  const query = {
    ...randomKey(random),
    after: random.below(3),
    limit: 1 + random.below(5),
    ...(random.chance(50) ? { bytes: random.below(30) } : {}),
  };
  return step({
    call: (store) => store.listDefinitionVersions(query),
    succeeded: (answer) => answer.length > 1,
  });
};

export const countDefinitions: Operation = (_model, random) => {
  const { name: _, ...query } = randomKey(random);
  return step({
    call: (store) => store.countDefinitions(query),
    succeeded: (count) => count > 0,
  });
};

export const listDefinitions: Operation = (_model, random) => {
  const query = {
    tenant: random.pick(TENANTS),
    kind: random.pick(KINDS),
    after: random.chance(50) ? random.pick(NAMES) : null,
    limit: 1 + random.below(5),
    ...(random.chance(50) ? { bytes: random.below(30) } : {}),
    includeDeleted: random.chance(50),
  };
  return step({
    call: (store) => store.listDefinitions(query),
    succeeded: (answer) => answer.length > 1,
  });
};

function randomKey(random: Random): DefinitionKey {
  const [tenant, kind] = [random.pick(TENANTS), random.pick(KINDS)];
  return { tenant, kind, name: random.pick(NAMES) };
}

function randomChange(model: Model, random: Random) {
  const key = randomKey(random);
  const seen = model.definitions.get(nameOf(key))?.version ?? 0;
  // Some editors have not seen the newest version.
  const expectedVersion = random.chance(80) ? seen : seen + 1 - random.below(3);
  return { ...key, expectedVersion, author: random.pick(AUTHORS) };
}

function learn(
  model: Model,
  key: DefinitionKey,
  outcome: { answer: DefinitionResult; deleted: boolean },
): void {
  const { answer, deleted } = outcome;
  if (answer.kind !== 'written') return;
  model.definitions.set(nameOf(key), { version: answer.version, deleted });
}

function nameOf({ tenant, kind, name }: DefinitionKey): string {
  return JSON.stringify([tenant, kind, name]);
}
