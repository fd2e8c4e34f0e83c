import { ROLES, type Role } from '@signalbox/protocol';
import type { Worker } from '@signalbox/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationId } from '../../packages/node/src/api/operation-id.ts';
import { ROUTES } from '../../packages/node/src/api/routes.ts';
import { type Answer, ApiWorld, ROOT_KEY } from '../../packages/node/src/api/testing/api-world.ts';
import { type Admits, OPERATIONS, type Operation, type Request } from './operations.ts';
import { startWorker } from './start-worker.ts';
import { TenantData } from './tenant-data.ts';

const OWN = 'tenant-own';
const OTHER = 'tenant-other';
const RANK: readonly Role[] = ['viewer', 'submitter', 'operator', 'admin'];

interface Key {
  readonly name: string;
  readonly role: Role;
  readonly isPlatform: boolean;
  readonly text: string;
}

let world: ApiWorld;
let worker: Worker;
let data: TenantData;
let otherData: TenantData;
const keys: Key[] = [];
const foreignKeys: Key[] = [];

beforeAll(async () => {
  world = await ApiWorld.start();
  data = new TenantData(world, OWN);
  otherData = new TenantData(world, OTHER);
  for (const role of ROLES) {
    const add = async (list: Key[], tenant: string, isPlatform: boolean) => {
      const text = await world.makeKey(role, tenant);
      list.push({ name: `${role} of ${tenant}`, role, isPlatform, text });
    };
    // Workers run tasks of every tenant: their keys are platform keys.
    if (role !== 'worker') await add(keys, OWN, false);
    if (role !== 'worker') await add(foreignKeys, OTHER, false);
    await add(keys, '*', true);
  }
  keys.push({ name: 'the root key', role: 'admin', isPlatform: true, text: ROOT_KEY });
  worker = await startWorker(world, data);
});
afterAll(async () => {
  await worker.stop({ graceMs: 0 });
  await world.stop();
});

function isAdmitted(admits: Admits, key: Pick<Key, 'role' | 'isPlatform'>): boolean {
  if (admits === 'anyone' || admits === 'signed') return true;
  if (key.role === 'worker') return admits.endsWith('+ worker');
  const needsPlatform = admits.startsWith('platform ');
  if (needsPlatform && !key.isPlatform) return false;
  const least = admits.replace(/^platform | \+ worker$/g, '') as Role;
  return RANK.indexOf(key.role) >= RANK.indexOf(least);
}

/** Sends the request of an operation; one that a response may have used up is prepared again. */
class Requests {
  readonly #operation: Operation;
  readonly #from: TenantData;
  #prepared: Promise<Request> | null = null;

  constructor(operation: Operation, from: TenantData) {
    this.#operation = operation;
    this.#from = from;
  }

  async send(who: { key: string | null; tenant?: string }): Promise<Answer> {
    this.#prepared ??= this.#operation.request(this.#from, { worker: 'matrix' });
    const { path, ...request } = await this.#prepared;
    const answer = await world.ask(path, { ...request, ...who });
    const isRead = request.method === undefined && request.body === undefined;
    if (isDone(answer.status) && !isRead) this.#prepared = null;
    // A worker that is drained must run the tasks of the next request.
    if (path.startsWith('/workers/') && !isRead) {
      await world.ask('/workers/matrix/uncordon', { body: {} });
    }
    return answer;
  }
}

const named = Object.entries(OPERATIONS);

describe('the matrix', () => {
  it('SEC-02 has every operation of the API, and no other', () => {
    expect(Object.keys(OPERATIONS).sort()).toEqual(ROUTES.map(operationId).sort());
  });
});

describe.each(named)('%s', (name, operation) => {
  const { admits, foreign } = operation;

  it(`SEC-02 ${name} serves the keys that it admits, and refuses the others`, async () => {
    const requests = new Requests(operation, data);
    for (const key of keys) {
      const tenant = key.isPlatform ? { tenant: OWN } : {};
      const { status, text } = await requests.send({ key: key.text, ...tenant });
      if (isAdmitted(admits, key)) {
        expect([key.name, status, text]).toEqual([key.name, expect.toSatisfy(isDone), text]);
      } else {
        expect([key.name, status]).toEqual([key.name, 403]);
        expect(JSON.parse(text).error.code).toBe('forbidden');
      }
    }
  });

  it(`SEC-01 ${name} without a key`, async () => {
    const { status } = await new Requests(operation, data).send({ key: null });
    if (admits === 'anyone' || admits === 'signed') expect(status).toSatisfy(isDone);
    else expect(status).toBe(401);
  });

  it(`SEC-02 ${name} with a key of another tenant`, async () => {
    const requests = new Requests(operation, foreign === 'own' ? otherData : data);
    for (const key of foreignKeys) {
      const { status, text } = await requests.send({ key: key.text });
      if (!isAdmitted(admits, key)) expect([key.name, status]).toEqual([key.name, 403]);
      else if (foreign === 'absent') expect([key.name, status]).toEqual([key.name, 404]);
      else expect([key.name, status]).toEqual([key.name, expect.toSatisfy(isDone)]);
      if (foreign === 'own') expect(text).not.toContain(OWN);
      if (admits === 'anyone' || admits === 'signed') continue;
      const naming = await requests.send({ key: key.text, tenant: OWN });
      expect([key.name, naming.status]).toEqual([key.name, 403]);
    }
  });
});

function isDone(status: number): boolean {
  return status >= 200 && status < 300;
}

it('SEC-02 requests with keys of another tenant created nothing here, and changed nothing', async () => {
  const audit = await world.ask('/audit?limit=1000', { tenant: OWN });
  const others = await world.ask('/keys', { tenant: OTHER });
  const ids = others.json<{ items: { id: string }[] }>().items.map(({ id }) => id);
  expect(ids.length).toBeGreaterThanOrEqual(foreignKeys.length);
  const actors = new Set(
    audit.json<{ items: { actor: string }[] }>().items.map(({ actor }) => actor),
  );
  for (const id of ids) expect(actors).not.toContain(id);
});
