import { expect } from 'vitest';
import hostileCron from '../../../packages/engine/src/cron/vectors/hostile-cron.json' with {
  type: 'json',
};
import { ROOT_KEY } from '../../../packages/node/src/api/testing/api-world.ts';
import { defineJob } from '../../../packages/node/src/operations/index.ts';
import { caller } from '../../../packages/node/src/operations/testing/small-node.ts';
import { fastest, type HostileWorld, leastCpuMs, type Row } from '../hostile-world.ts';
import { MORE_CRON } from './hostile-cron.ts';

const preview = (expr: string, more = '') =>
  `/schedule-preview?expr=${encodeURIComponent(expr)}${more}`;

/** Two windows of the expression. */
async function windows(world: HostileWorld, path: string): Promise<string[]> {
  const shown = await world.api.ask(path);
  return shown.json<{ windows: { at: string }[] }>().windows.map(({ at }) => at);
}

type Tasks = readonly object[];

async function refusedGraph(world: HostileWorld, tasks: Tasks): Promise<string> {
  const answer = await world.api.ask('/jobs', { body: { name: 'graph', definition: { tasks } } });
  expect(answer.status).toBe(422);
  return `${answer.error().field} ${answer.error().message}`;
}

export const TEXTS: readonly Row[] = [
  {
    id: 'h35',
    title: 'names that are paths, markup or control characters are refused',
    check: async ({ api }) => {
      for (const name of [
        '../../etc/passwd',
        'a/b',
        '%00',
        'a\u0000b',
        'a\u202eb',
        '<script>',
        'x'.repeat(4_096),
      ]) {
        const made = await api.ask('/jobs', { body: { name, definition: {} } });
        expect([name, made.status]).toEqual([name, 422]);
        const read = await api.ask(`/jobs/${encodeURIComponent(name)}`);
        expect([400, 404, 414, 422]).toContain(read.status);
      }
    },
  },
  {
    id: 'h37',
    title:
      'there are no ranges of logs and payloads: Range is ignored, 10,000 ranges are refused, and pages of logs are bounded',
    check: async (world) => {
      const { api } = world;
      const id = await world.run();
      for (const path of [`/runs/${id}/logs`, `/runs/${id}/input`]) {
        const whole = await api.ask(path);
        // As many ranges as fit into the headers.
        const several = `bytes=${Array.from({ length: 2_000 }, (_, n) => `${n % 10}-`).join(',')}`;
        for (const range of ['bytes=0-9999999999', 'bytes=9999999999-', 'bytes=-1', several]) {
          const ranged = await api.ask(path, { headers: { range } });
          expect([ranged.status, ranged.text]).toEqual([200, whole.text]);
          expect(ranged.headers.get('content-range')).toBeNull();
        }
        const many = `bytes=${Array.from({ length: 10_000 }, () => '0-0').join(',')}`;
        const head = `GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${ROOT_KEY}`;
        expect(await api.talk(`${head}\r\nRange: ${many}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
      }
      const tooMany = await api.ask(`/runs/${id}/logs?limit=9999999999`);
      expect([tooMany.status, tooMany.error().field]).toEqual([422, 'limit']);
    },
  },
  {
    id: 'h39',
    title: 'filters and expressions that are code are refused within 50 ms',
    check: async (world) => {
      const { api } = world;
      for (const filter of ["' OR 1=1--", '$where', '(a+)+$', 'a'.repeat(10_000)]) {
        const path = `/runs?job=${encodeURIComponent(filter)}`;
        expect((await api.ask(path)).status).toBe(422);
        expect(await fastest(() => api.ask(path))).toBeLessThan(50);
      }
      const job = await world.job();
      const definition = { job, type: 'x', filter: `true${' && true'.repeat(1_500)}` };
      const made = await api.ask('/triggers', { body: { name: world.name(), definition } });
      expect(made.status).toBe(422);
    },
  },
  {
    id: 'h57',
    title:
      '42 hostile cron expressions are refused as invalid_schedule or accepted as listed, within 50 ms',
    check: async (world) => {
      const job = await world.job();
      const rows = [...hostileCron.vectors, ...MORE_CRON];
      expect(rows).toHaveLength(42);
      for (const { expr, expect: expected } of rows) {
        const isAccepted = expected.startsWith('accept');
        // What no expression can be, too long or with a NUL, is refused before it is read as one.
        const code = expected === 'reject invalid' ? 'invalid' : 'invalid_schedule';
        const name = world.name();
        const body = { name, definition: { job, cron: expr } };
        const made = await world.api.ask('/schedules', { body });
        const shown = made.status === 201 ? [201] : [made.status, made.error().code];
        expect([expr, ...shown]).toEqual([expr, ...(isAccepted ? [201] : [422, code])]);
        expect([expr, (await world.api.ask(preview(expr))).status]).toEqual([
          expr,
          isAccepted ? 200 : 422,
        ]);
        const ms = await fastest(() => world.api.ask(preview(expr)));
        expect([expr, ms < 50]).toEqual([expr, true]);
      }
    },
  },
  {
    id: 'h59',
    title: 'half-hour and midnight clock changes give the right windows, within 5 ms',
    check: async (world) => {
      const lordHowe = preview(
        '0 2 * * *',
        '&timezone=Australia/Lord_Howe&from=2026-10-02T00:00:00Z&limit=3',
      );
      const job = await world.job();
      for (const [cron, timezone] of [
        ['0 2 * * *', 'Australia/Lord_Howe'],
        ['0 0 * * *', 'America/Santiago'],
      ] as const) {
        const definition = { job, cron, timezone };
        const body = { name: world.name(), definition };
        expect((await world.api.ask('/schedules', { body })).status).toBe(201);
      }
      // The clocks change from 02:00 to 02:30 on 4 October: 02:00 is in the gap of half an hour.
      expect(await windows(world, lordHowe)).toEqual([
        '2026-10-02T15:30:00.000Z',
        '2026-10-03T15:30:00.000Z',
        '2026-10-04T15:00:00.000Z',
      ]);
      const santiago = preview(
        '0 0 * * *',
        '&timezone=America/Santiago&from=2026-09-05T00:00:00Z&limit=3',
      );
      // There is no midnight on 6 September: the clocks change from 24:00 to 01:00.
      expect(await windows(world, santiago)).toEqual([
        '2026-09-05T04:00:00.000Z',
        '2026-09-06T04:00:00.000Z',
        '2026-09-07T03:00:00.000Z',
      ]);
      for (const path of [lordHowe, santiago]) {
        const ms = await fastest(() => world.api.ask(path), 20);
        expect([path, ms < 5]).toEqual([path, true]);
      }
    },
  },
  {
    id: 'h61',
    title:
      'graphs with cycles, unknown parents or too many tasks are refused within 1 s and name the edge',
    check: async (world) => {
      const a = { name: 'a' };
      const cycle = [
        { ...a, after: ['b'] },
        { name: 'b', after: ['a'] },
      ];
      const many = Array.from({ length: 100_001 }, () => ({}));
      for (const [tasks, message] of [
        [cycle, /^tasks\[1\]\.after\[0\] .*wait for each other: b → a → b/],
        [[{ ...a, after: ['a'] }], /^tasks\[0\]\.after\[0\] .*"a" comes after itself/],
        [[a, a], /^tasks\[1\]\.name two tasks have the name "a"/],
        [[{ ...a, after: ['x'] }], /^tasks\[0\]\.after\[0\] .*"x".*not a task/],
        [many, /^definition\.tasks /],
      ] as const) {
        expect(await refusedGraph(world, tasks)).toMatch(message);
        expect(await leastCpuMs(() => refusedGraph(world, tasks))).toBeLessThan(1_000);
      }
      // A chain of 100,000 is larger than a body: as the embedded SDK sends it. With the edge that closes a
      // cycle it is refused; without that edge it is valid.
      const names = Array.from({ length: 100_000 }, (_, i) => `t${i}`);
      const chain = names.map((name, i) => ({ name, after: i === 0 ? [] : [`t${i - 1}`] }));
      const closed = chain.with(0, { name: 't0', after: ['t99999'] });
      const define = (tasks: { name: string; after: string[] }[]) =>
        defineJob(world.api.node.context, caller({ tenant: 'default' }), {
          ...{ name: world.name(), definition: { tasks } },
        });
      const refuse = () => expect(define(closed)).rejects.toThrow(/wait for each other/);
      const ms = await leastCpuMs(refuse);
      expect(ms).toBeLessThan(1_000);
      expect((await define(chain)).job.name).toMatch(/^n\d+$/);
    },
  },
];
