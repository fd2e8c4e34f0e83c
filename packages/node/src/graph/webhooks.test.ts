import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Notifier } from './notifier.ts';
import { fail, pipelineWorld } from './testing/pipeline-world.ts';
import { webhookSecret } from './webhook-secret.ts';

const { answers, context, define, ended, submit } = pipelineWorld();

describe('HTP-06 DAG-27 a webhook at the end of a run', () => {
  let receiver: Server;
  let received: { id: string; at: string; signature: string; body: string }[];
  let status: number;

  beforeEach(async () => {
    received = [];
    status = 200;
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        const head = (name: string) => request.headers[name] as string;
        const [id, at] = [head('webhook-id'), head('webhook-timestamp')];
        received.push({ id, at, signature: head('webhook-signature'), body });
        response.statusCode = status;
        response.end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => receiver.close(resolve)));

  const url = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const open = () =>
    [...context().loop.engine.core.books.values()].flatMap((book) => [
      ...book.notifications.keys(),
    ]);
  const delivered = async () => {
    while (open().length > 0) await new Promise(setImmediate);
  };

  it('is signed, says what happened, and is tried again under the same id', async () => {
    await define('told', { notify: { onFailure: [{ url: url() }] }, tasks: [{ name: 'a' }] });
    answers['a'] = fail;
    status = 503;
    const id = await submit('told');
    expect((await ended(id)).state).toBe('FAILED');
    while (received.length === 0) await new Promise(setImmediate);
    expect(open()).toHaveLength(1);
    status = 200;
    await delivered();
    expect(received.length).toBeGreaterThanOrEqual(2);
    expect(new Set(received.map((one) => one.id)).size).toBe(1);
    const { store } = context();
    const tenant = 'default';
    const key = Buffer.from((await webhookSecret(store, tenant)).replace('whsec_', ''), 'base64');
    for (const { id: hook, at, signature, body } of received) {
      const expected = createHmac('sha256', key).update(`${hook}.${at}.${body}`).digest('base64');
      expect(signature).toBe(`v1,${expected}`);
      expect(JSON.parse(body)).toMatchObject({
        id: `${id}/end`,
        type: 'run.failed',
        data: { run: id, job: 'told', state: 'FAILED' },
      });
    }
  });

  it('is done with once it was delivered, also where that cannot be recorded at once', async () => {
    await define('told', { notify: { onSuccess: [{ url: url() }] }, tasks: [{ name: 'a' }] });
    const { loop } = context();
    const execute = loop.execute.bind(loop);
    let refusals = 2;
    const spy = vi.spyOn(loop, 'execute').mockImplementation((command, partition) => {
      if (command.kind !== 'notified' || refusals === 0) return execute(command, partition);
      refusals--;
      return Promise.resolve({ kind: 'refused', code: 'unavailable', message: '' });
    });
    await ended(await submit('told'));
    await vi.waitFor(() => expect(refusals).toBe(0), 20_000);
    await delivered();
    expect(received).toHaveLength(1);
    spy.mockRestore();
  });

  it('is not given up because the store is away for longer than a receiver may be', async () => {
    await define('told', { notify: { onSuccess: [{ url: url() }] }, tasks: [{ name: 'a' }] });
    const { loop } = context();
    await ended(await submit('told'));
    await delivered();
    const [[partition, book] = []] = loop.engine.core.books;
    const about = { run: 'r', tenant: 'default', job: 'told', version: 1, detail: '' };
    const notification = { id: 'n', at: 1, on: 'success', state: 'SUCCEEDED', ...about } as const;
    book?.notifications.set('n', { seq: 1, ...notification });
    const load = vi.spyOn(loop.specs, 'load');
    for (let i = 0; i < 5; i++) load.mockRejectedValueOnce(new Error('the store is away'));
    const notifier = new Notifier(context, [1]);
    notifier.notify({ partition: partition ?? 0, notification });
    await delivered();
    expect(received.at(-1)?.id).toBe('n');
    notifier.stop();
  });

  it('is not sent where nobody asked for that end', async () => {
    await define('told', { notify: { onFailure: [{ url: url() }] }, tasks: [{ name: 'a' }] });
    expect((await ended(await submit('told'))).state).toBe('SUCCEEDED');
    await delivered();
    expect(received).toEqual([]);
  });
});
