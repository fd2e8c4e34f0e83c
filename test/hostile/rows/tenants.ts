import { expect } from 'vitest';
import { World } from '../../../packages/cli/src/testing/child.ts';
import { ROOT_KEY } from '../../../packages/node/src/api/testing/api-world.ts';
import { startNode } from '../../../packages/node/src/start-node.ts';
import { type Row, shownOf } from '../hostile-world.ts';

const HOOK_SECRET = 'Hk2vQ9xT7mB2wR8nL5cJ1hD6gF4sA0pE';

export const TENANTS: readonly Row[] = [
  {
    id: 'h11',
    title: "another tenant's ids are answered like absent ones",
    check: async (world) => {
      const { api } = world;
      const key = await world.key('admin', 'tenant-b');
      const run = await world.run({}, 'tenant-a');
      const absentRun = `${run.slice(0, -4)}ffff`;
      const shown = await api.ask(`/runs/${run}/tasks`, { tenant: 'tenant-a' });
      const task = shown.json<{ items: { id: string }[] }>().items[0]?.id as string;
      const job = await world.job({}, 'tenant-a');
      const both = async (ids: readonly [string, string], path: string, body?: object) => {
        const answers = await Promise.all(
          ids.map(async (id) => {
            const named = JSON.stringify(body)?.replace('ID', id);
            const sent = named === undefined ? {} : { body: JSON.parse(named) as unknown };
            const answer = await api.ask(path.replace('ID', id), { key, ...sent });
            return shownOf(answer, id, run, absentRun);
          }),
        );
        expect([path, answers[0]?.[0]]).toEqual([path, 404]);
        expect(answers[1]).toEqual(answers[0]);
      };
      const runs = [run, absentRun] as const;
      await both(runs, '/runs/ID');
      await both(runs, '/runs/ID/logs');
      await both(runs, '/runs/ID/cancel', {});
      await both(runs, '/runs/ID/retry', {});
      const tasks = [task, task.replace(run, absentRun)] as const;
      await both(tasks, '/tasks/ID');
      await both(tasks, '/tasks/ID/logs');
      const jobs = [job, 'absent'] as const;
      const cron = '0 2 * * *';
      await both(jobs, '/runs', { job: 'ID' });
      await both(jobs, '/schedules', { name: 's', definition: { job: 'ID', cron } });
      await both(jobs, '/triggers', { name: 't', definition: { job: 'ID', type: 'x' } });
      const own = await api.ask(`/runs/${run}`, { tenant: 'tenant-a' });
      expect(own.json()).toMatchObject({ state: 'PENDING' });
    },
  },
  {
    id: 'h13',
    title: 'a batch with one job of another tenant is refused, and nothing of it is written',
    check: async (world) => {
      const foreign = await world.job({}, 'tenant-a');
      const own = await world.job({}, 'tenant-c');
      const key = await world.key('admin', 'tenant-c');
      const items = [...Array.from({ length: 99 }, () => ({ job: own })), { job: foreign }];
      const { status } = await world.api.ask('/runs/batch', { body: { items }, key });
      expect([404, 422]).toContain(status);
      expect((await world.api.ask('/runs', { key })).json()).toEqual({ items: [] });
    },
  },
  {
    id: 'h15',
    title: 'a submission cannot override what the definition of its job sets',
    check: async (world) => {
      const job = await world.job({ overlap: 'skip' });
      for (const field of ['tasks', 'overlap', 'timeout', 'retry', 'handler', 'resources']) {
        const item = { job, [field]: {} };
        const one = await world.api.ask('/runs', { body: item });
        expect([one.status, one.error().code, one.error().field]).toEqual([
          422,
          'locked_field',
          field,
        ]);
        const batch = await world.api.ask('/runs/batch', { body: { items: [{ job }, item] } });
        expect(batch.error()).toMatchObject({ code: 'locked_field', field: `items[1].${field}` });
      }
      const unknown = await world.api.ask('/runs', { body: { job, surprise: 1 } });
      expect(unknown.error().code).toBe('invalid');
    },
  },
  {
    id: 'h73',
    title: 'secrets are shown to nobody, and are in no error, log, list or audit entry',
    check: async (world) => {
      const { api } = world;
      const tenant = 'tenant-s';
      const viewer = await world.key('viewer', tenant);
      const job = await world.job({}, tenant);
      const hook = { style: 'github', secret: HOOK_SECRET };
      const definition = { job, hook };
      await api.ask('/triggers', { body: { name: 'hooked', definition }, tenant });
      const bad = { body: { name: 'hooked', definition: { ...definition, odd: 1 } }, tenant };
      const texts = [
        await api.ask('/triggers', bad),
        await api.ask('/triggers/hooked', { key: viewer }),
        await api.ask('/triggers', { key: viewer }),
        await api.ask('/audit?limit=1000', { tenant }),
        await api.ask('/keys', { tenant }),
      ].map(({ text }) => text);
      const all = [...texts, ...api.logged].join('\n');
      for (const secret of [HOOK_SECRET, viewer, ROOT_KEY]) expect(all).not.toContain(secret);
      for (const path of ['/webhook-secret', '/keys', '/audit']) {
        expect([path, (await api.ask(path, { key: viewer })).status]).toEqual([path, 403]);
      }
    },
  },
  {
    id: 'h77',
    title:
      'a node process ends without a key, with a usual one or with a weak one: one line, and an exit code',
    check: async ({ storeUrl }) => {
      const processes = new World();
      const starts = [undefined, 'changeme', 'a'.repeat(40)].map((key) =>
        processes.run(['node', '--store', storeUrl, '--port', '0'], {
          ...(key === undefined ? {} : { SIGNALBOX_KEY: key }),
        }),
      );
      for (const { code, out, err } of await Promise.all(starts)) {
        expect(code).toBeGreaterThan(0);
        expect(`${out}${err}`).toMatch(/^[^\n]*the root key \(SIGNALBOX_KEY\) [^\n]+\n$/);
      }
      processes.remove();
      const http = { host: '127.0.0.1', port: 0 };
      for (const rootKey of [undefined, '', 'changeme', 'password123', 'a'.repeat(40)]) {
        const options = { store: storeUrl, http, ...(rootKey === undefined ? {} : { rootKey }) };
        await expect(startNode(options)).rejects.toThrow(/^the root key \(SIGNALBOX_KEY\) [^\n]+$/);
      }
    },
  },
];
