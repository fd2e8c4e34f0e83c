import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunView } from '@signalbox/protocol';
import { pipeline, Signalbox } from 'signalbox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandNode } from './testing/command-node.ts';

let node: CommandNode;
let box: Signalbox;
let folder: string;
beforeAll(async () => {
  node = await CommandNode.start();
  box = await Signalbox.connect(node.url, { key: node.key });
  folder = mkdtempSync(join(tmpdir(), 'signalbox-same-'));
});
afterAll(async () => {
  await box.close();
  await node.stop();
  rmSync(folder, { recursive: true });
});

/** The operations that all three have. Each resolves when the operation is durable. */
interface Way {
  define(name: string): Promise<unknown>;
  submit(name: string, key: string): Promise<string>;
  cancel(id: string): Promise<unknown>;
  retry(id: string): Promise<string>;
  approve(id: string): Promise<unknown>;
  reject(id: string): Promise<unknown>;
  signal(id: string): Promise<unknown>;
}

const TASKS = [
  { name: 'gate', approval: {} },
  { name: 'paid', after: ['gate'], event: { type: 'paid' } },
];
const INPUT = { order: 7 };
const EVENT = { amount: 3 };

async function http(
  path: string,
  method = 'GET',
  body?: unknown,
): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${node.key}`, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${node.url}/api/v1${path}`, { method, headers, ...sent });
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

const HTTP: Way = {
  define: (name) => http(`/jobs/${name}`, 'PUT', { priority: 'P0', tasks: TASKS }),
  submit: async (name, idempotencyKey) => {
    const body = { job: name, input: INPUT, idempotencyKey, priority: 'P2' };
    return (await http('/runs', 'POST', body))['id'] as string;
  },
  cancel: (id) => http(`/runs/${id}/cancel`, 'POST', { reason: 'wrong order' }),
  retry: async (id) => (await http(`/runs/${id}/retry`, 'POST', {}))['id'] as string,
  approve: (id) =>
    http(`/runs/${id}/tasks/gate/approval`, 'POST', { decision: 'approve', comment: 'fine' }),
  reject: (id) =>
    http(`/runs/${id}/tasks/gate/approval`, 'POST', { decision: 'reject', comment: 'no' }),
  signal: (id) => http(`/runs/${id}/tasks/paid/event`, 'POST', { event: EVENT }),
};

async function command(...args: string[]): Promise<string> {
  const { code, out, err } = await node.run(args, { cwd: folder });
  expect(code, err).toBe(0);
  return out.trim();
}

const COMMAND: Way = {
  define: async (name) => {
    const file = JSON.stringify({ kind: 'Job', name, priority: 'P0', tasks: TASKS });
    writeFileSync(join(folder, 'job.yaml'), file);
    return command('apply', '-f', 'job.yaml', '--yes');
  },
  submit: (name, key) => {
    const options = ['--idempotency-key', key, '--priority', 'P2'];
    return command('submit', name, JSON.stringify(INPUT), ...options);
  },
  cancel: (id) => command('cancel', id, '--reason', 'wrong order'),
  retry: async (id) => /[0-9a-f-]{36}/.exec(await command('retry', id))?.[0] as string,
  approve: (id) => command('approve', `${id}:gate`, '--comment', 'fine'),
  reject: (id) => command('reject', `${id}:gate`, '--comment', 'no'),
  signal: (id) => command('signal', `${id}:paid`, JSON.stringify(EVENT)),
};

const SDK: Way = {
  define: (name) => {
    const defined = pipeline(name, { priority: 'P0' }, (p) => {
      const gate = p.approval('gate');
      return p.event('paid', { type: 'paid', after: [gate] });
    });
    return box.apply([defined]);
  },
  submit: async (name, idempotencyKey) =>
    (await box.submit(name, INPUT, { idempotencyKey, priority: 'P2' })).id,
  cancel: (id) => box.cancel(id, 'wrong order'),
  retry: async (id) => (await box.retry(id)).id,
  approve: (id) => box.approve(`${id}:gate`, 'fine'),
  reject: (id) => box.reject(`${id}:gate`, 'no'),
  signal: (id) => box.signal(`${id}:paid`, EVENT),
};

/** What is stored, with the names of the way and the times of the test replaced. */
async function stateAfter(name: string, ids: readonly string[]): Promise<unknown> {
  const job = await http(`/jobs/${name}`);
  const runs = await Promise.all(ids.map((id) => http(`/runs/${id}`) as Promise<unknown>));
  const inputs = await Promise.all(ids.map((id) => http(`/runs/${id}/input`)));
  let text = JSON.stringify({ job, runs, inputs });
  for (const [i, id] of [...new Set(ids)].entries()) text = text.replaceAll(id, `<run ${i}>`);
  return JSON.parse(
    text
      .replaceAll(name, '<job>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replaceAll(/"(durationMs|waitedMs|ms)":\d+/g, '"$1":0'),
  );
}

describe('the same operations', () => {
  it('API-16 leave the same state through HTTP, the command and the SDK', async () => {
    const states: unknown[] = [];
    for (const [name, way] of Object.entries({
      'by-http': HTTP,
      'by-command': COMMAND,
      'by-sdk': SDK,
    })) {
      await way.define(name);
      const paid = await way.submit(name, `${name}-1`);
      const repeated = await way.submit(name, `${name}-1`);
      expect(repeated).toBe(paid);
      await way.approve(paid);
      await way.signal(paid);
      const rejected = await way.submit(name, `${name}-2`);
      await way.reject(rejected);
      const retried = await way.retry(rejected);
      const cancelled = await way.submit(name, `${name}-3`);
      await way.cancel(cancelled);
      const ids = [paid, rejected, retried, cancelled];
      const ended = await Promise.all(ids.map((id) => http(`/runs/${id}?wait=1`)));
      expect(ended.map((run) => (run as unknown as RunView).state)).toEqual([
        ...['SUCCEEDED', 'FAILED', 'RUNNING', 'CANCELLED'],
      ]);
      states.push(await stateAfter(name, ids));
    }
    expect(states[1]).toEqual(states[0]);
    expect(states[2]).toEqual(states[0]);
  });
});
