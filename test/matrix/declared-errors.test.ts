import type { ErrorCode } from '@signalbox/protocol';
import type { Worker } from '@signalbox/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationId } from '../../packages/node/src/api/operation-id.ts';
import { ROUTES } from '../../packages/node/src/api/routes.ts';
import { ApiWorld, ROOT_KEY } from '../../packages/node/src/api/testing/api-world.ts';
import { OPERATIONS, type Operation, type Request } from './operations.ts';
import { PROVOKED } from './provoked.ts';
import { startWorker } from './start-worker.ts';
import { TenantData } from './tenant-data.ts';

const OWN = 'tenant-own';

/** Needs a second node, which owns the run or the schedule. */
const ELSEWHERE: readonly ErrorCode[] = ['not_owner'];

let world: ApiWorld;
let worker: Worker;
let data: TenantData;
let foreignKey: string;

beforeAll(async () => {
  world = await ApiWorld.start();
  data = new TenantData(world, OWN);
  foreignKey = await world.makeKey('admin', 'tenant-other');
  worker = await startWorker(world, data);
});
afterAll(async () => {
  await worker.stop({ graceMs: 0 });
  await world.stop();
});

async function codeOf({ path, ...request }: Request, key = ROOT_KEY): Promise<string> {
  const tenant = key === ROOT_KEY ? { tenant: OWN } : {};
  const answer = await world.ask(path, { ...request, ...tenant, key });
  return answer.status < 400 ? `${answer.status}` : answer.error().code;
}

/** A node whose mailbox is full accepts no command. */
async function whileFull(request: Request): Promise<string> {
  const settings = world.node.context.loop.settings as { mailboxMax: number };
  const { mailboxMax } = settings;
  settings.mailboxMax = 0;
  try {
    return await codeOf(request);
  } finally {
    settings.mailboxMax = mailboxMax;
  }
}

/** The tenant may define nothing more. */
async function whileAtQuota(request: Request): Promise<string> {
  const setTenant = (body: object) =>
    world.ask(`/tenants/${OWN}`, { method: 'PUT', body, key: ROOT_KEY });
  await setTenant({ maxJobs: 0, maxSchedules: 0, maxTriggers: 0 });
  try {
    return await codeOf(request);
  } finally {
    await setTenant({});
  }
}

async function provoke(name: string, code: ErrorCode): Promise<string> {
  const operation = OPERATIONS[name] as Operation;
  if (code === 'quota_exceeded') {
    return whileAtQuota(await operation.request(data, { worker: 'matrix' }));
  }
  const provoked = await PROVOKED[name]?.[code]?.(data);
  if (code === 'overloaded') {
    return whileFull(provoked ?? (await operation.request(data, { worker: 'matrix' })));
  }
  if (provoked !== undefined) return codeOf(provoked);
  if (code !== 'not_found') return 'no request of provoked.ts is for it';
  // What another tenant has does not exist; a worker and a tenant are nobody's.
  const { path, ...asked } = await operation.request(data, { worker: 'matrix' });
  if (operation.foreign === 'absent') return codeOf({ path, ...asked }, foreignKey);
  return codeOf({ path: path.replace(/(workers|tenants)\/[\w-]+/, '$1/absent'), ...asked });
}

const declared = ROUTES.flatMap((route) =>
  (route.errors ?? [])
    .filter((code) => !ELSEWHERE.includes(code))
    .map((code) => [operationId(route), code] as const),
);

describe('every error code that a handler declares is a possible response', () => {
  it.each(declared)('%s answers %s', async (name, code) => {
    expect(await provoke(name, code)).toBe(code);
  });
});
