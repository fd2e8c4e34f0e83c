import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as NetServer,
} from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { postWebhook } from './post-webhook.ts';
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

  it.each([
    ['onFailure', 'FAILED', 'run.failed'],
    ['onSuccess', 'SUCCEEDED', 'run.succeeded'],
  ])(
    '%s is signed, says what happened, and is tried again under the same id',
    async (on, state, type) => {
      await define('told', { notify: { [on]: [{ url: url() }] }, tasks: [{ name: 'a' }] });
      if (state === 'FAILED') answers['a'] = fail;
      status = 503;
      const id = await submit('told');
      expect((await ended(id)).state).toBe(state);
      while (received.length === 0) await new Promise(setImmediate);
      expect(open()).toHaveLength(1);
      status = 200;
      await delivered();
      expect(received.length).toBeGreaterThanOrEqual(2);
      expect(new Set(received.map((one) => one.id)).size).toBe(1);
      const secret = await webhookSecret(context(), 'default');
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      for (const { id: hook, at, signature, body } of received) {
        const expected = createHmac('sha256', key).update(`${hook}.${at}.${body}`).digest('base64');
        expect(signature).toBe(`v1,${expected}`);
        expect(JSON.parse(body)).toMatchObject({
          id: `${id}/end`,
          type,
          data: { run: id, job: 'told', state },
        });
      }
    },
  );

  it('is not sent where nobody asked for that end', async () => {
    await define('told', { notify: { onFailure: [{ url: url() }] }, tasks: [{ name: 'a' }] });
    expect((await ended(await submit('told'))).state).toBe('SUCCEEDED');
    await delivered();
    expect(received).toEqual([]);
  });

  it('is not held up by a receiver that answers a byte now and then, without an end', async () => {
    const slow = createServer((_, response) => {
      response.flushHeaders();
      const timer = setInterval(() => response.write('.'), 5);
      response.on('close', () => clearInterval(timer));
    });
    const silent = createTcpServer((socket) => {
      const timer = setInterval(() => socket.write('H'), 5);
      socket.on('close', () => clearInterval(timer)).on('error', () => {});
    });
    const post = async (server: NetServer, timeoutMs: number) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const targets = { allowHttp: true, allowPrivate: true, ports: 'any' } as const;
      const posted = await postWebhook({
        url: target,
        headers: {},
        body: '{}',
        targets,
        timeoutMs,
      });
      // Resolves when no connection is left.
      await new Promise((resolve) => server.close(resolve));
      return posted;
    };
    expect(await post(slow, 60_000)).toEqual({ ok: true });
    expect(await post(silent, 50)).toMatchObject({ ok: false });
  });
});
