import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { job, Signalbox } from '../index.ts';
import {
  acceptAll,
  headsOf,
  type Respond,
  ScriptedServer,
  sendJson,
} from '../test-programs/scripted-server.ts';

const mail = job('mail', (input: { to: string }) => input.to);
const ada = { to: 'Ada' };

async function connect(server: ScriptedServer, maxAttempts = 6): Promise<Signalbox> {
  const retries = { maxAttempts, delay: 1, maxDelay: 5 };
  return Signalbox.connect(server.url, { key: 'k', retries });
}

const asHtml: Respond = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end('<html>log in</html>');
};

describe('an answer that no node gives', () => {
  const redirect: Respond = (_, response) => {
    response.writeHead(302, { location: 'https://login.example.com/' });
    response.end();
  };
  const empty: Respond = (_, response) => response.writeHead(200).end();
  const broken: Respond = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"items":');
  };

  it.each<[string, Respond, string]>([
    ['a redirect', redirect, 'HTTP 302 and a redirect to https://login.example.com/'],
    ['a page', asHtml, 'HTTP 200 and text/html; charset=utf-8'],
    ['nothing', empty, 'HTTP 200 and no content type'],
    ['half of JSON', broken, 'HTTP 200 and application/json'],
    ['an empty object', (_, response) => sendJson(response, {}), 'HTTP 200 and application/json'],
    ['null', (_, response) => sendJson(response, null), 'HTTP 200 and application/json'],
    ['a text', (_, response) => sendJson(response, 'ok'), 'HTTP 200 and application/json'],
    ['no content', (_, response) => response.writeHead(204).end(), 'HTTP 204 and no content type'],
  ])('is an error with address and content type: %s', async (_, respond, told) => {
    await using server = await ScriptedServer.start(respond);
    await using box = await connect(server);
    const calls = [
      [() => box.submit(mail, ada), '/runs/batch'],
      [() => box.runs.list(), '/runs'],
      [() => box.runs.get('r1'), '/runs/r1'],
      [() => box.apply([mail]), '/jobs/mail'],
    ] as const;
    for (const [call, path] of calls) {
      const message = `${server.url}/api/v1${path} responded with ${told}, which is not a response of a Signalbox node; check the address`;
      await expect(call()).rejects.toMatchObject({
        name: 'SignalboxError',
        code: 'unreachable',
        message,
      });
    }
    expect(server.requests).toHaveLength(calls.length);
  });

  it('ends a stream of events, which would be asked for without end', async () => {
    await using server = await ScriptedServer.start(asHtml);
    await using box = await connect(server);
    const events = box.events();
    await expect(events.next()).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('names the server where it refuses without the words of a node', async () => {
    await using server = await ScriptedServer.start((_, response) => {
      response.writeHead(403, { 'content-type': 'text/html' });
      response.end('<html>no</html>');
    });
    await using box = await connect(server);
    const message = `${server.url} responded with HTTP 403 (text/html), which is not a response of a Signalbox node; check the address`;
    await expect(box.runs.list()).rejects.toMatchObject({
      code: 'forbidden',
      status: 403,
      message,
    });
  });
});

describe('timeoutMs', () => {
  const hangs: Respond = () => {};
  const busy: Respond = (_, response) => {
    response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '30' });
    response.end('{"error":{"code":"unavailable","message":"busy","requestId":"r"}}');
  };

  it.each<[string, Respond]>([
    ['hangs', hangs],
    ['asks to be left alone for 30 seconds', busy],
  ])('is kept where the node %s', async (_, respond) => {
    await using server = await ScriptedServer.start(acceptAll);
    await using box = await connect(server);
    const run = await box.submit(mail, ada);
    server.respond = respond;
    const began = performance.now();
    const options = { timeout: 1_100 };
    const waits = [run.wait(options), run.result(options), run.bytes(options)];
    const over = { status: 'rejected', reason: expect.objectContaining({ code: 'timeout' }) };
    expect(await Promise.allSettled(waits)).toEqual([over, over, over]);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('covers the reading of the output, too', async () => {
    await using server = await ScriptedServer.start(acceptAll);
    await using box = await connect(server);
    const run = await box.submit(mail, ada);
    server.respond = ({ path }, response) => {
      if (path.endsWith('/output')) return;
      sendJson(response, { id: 'run-0', job: 'mail', state: 'SUCCEEDED', tasks: [] });
    };
    const result = run.result({ timeout: 1_100 });
    await expect(result).rejects.toMatchObject({ code: 'timeout' });
  });
});

describe('priorities', () => {
  /** As a node under load does: what has a P2 in it is refused. */
  const overloaded: Respond = (request, response) => {
    if (!headsOf(request).some((head) => head['priority'] === 'P2'))
      return acceptAll(request, response);
    const error = { code: 'overloaded', message: 'overloaded', requestId: 'r' };
    sendJson(response, { error }, 429);
  };

  it('an urgent submission is not refused with one that is not', async () => {
    await using server = await ScriptedServer.start(overloaded);
    await using box = await connect(server, 1);
    const urgent = box.submit(mail, ada, { priority: 'P0' });
    const other = box.submit(mail, ada, { priority: 'P2' });
    await expect(other).rejects.toMatchObject({ code: 'overloaded' });
    expect((await urgent).created).toBe(true);
    const many = box.submitMany(mail, [
      { input: ada, priority: 'P2' },
      { input: ada, priority: 'P0' },
    ]);
    await expect(many).rejects.toMatchObject({ code: 'overloaded', mayBeDone: true });
    await expect(many).rejects.toThrow('1 of 2 submissions were accepted before this');
    expect(server.requests.map((each) => headsOf(each).map((head) => head['priority']))).toEqual([
      ['P0'],
      ['P2'],
      ['P0'],
      ['P2'],
    ]);
  });

  it('handles of many are in their order, whatever their priorities', async () => {
    await using server = await ScriptedServer.start((request, response) => {
      const items = headsOf(request).map((head) => ({
        id: `run-${head['idempotencyKey']}`,
        job: 'mail',
        created: true,
        count: 1,
      }));
      sendJson(response, { items });
    });
    await using box = await connect(server);
    const priorities = ['P2', 'P0', undefined, 'P2', 'P0'] as const;
    const items = priorities.map((priority, i) => ({
      input: ada,
      idempotencyKey: `${i}`,
      ...(priority && { priority }),
    }));
    const runs = await box.submitMany(mail, items);
    expect(runs.map(({ id }) => id)).toEqual(['run-0', 'run-1', 'run-2', 'run-3', 'run-4']);
  });
});

describe('submitMany', () => {
  const many = Array.from({ length: 1_500 }, () => ({ input: ada }));

  it('sends nothing where its signal has fired, and no more once it fires', async () => {
    await using server = await ScriptedServer.start(acceptAll);
    await using box = await connect(server);
    const over = AbortSignal.abort(new Error('enough'));
    await expect(box.submitMany(mail, many, { signal: over })).rejects.toThrow('enough');
    await expect(box.submitMany(mail, [{ input: ada, signal: over }])).rejects.toThrow('enough');
    expect(server.requests).toEqual([]);
    const stop = new AbortController();
    const asked = Promise.withResolvers<void>();
    let answer = (): void => {};
    server.respond = (request, response) => {
      answer = () => acceptAll(request, response);
      asked.resolve();
    };
    const submitting = box.submitMany(mail, many, { signal: stop.signal });
    await asked.promise;
    stop.abort(new Error('enough'));
    await expect(submitting).rejects.toThrow('enough');
    answer();
    await box.close();
    expect(server.requests).toHaveLength(1);
  });

  it('comes to its end when the box is closed meanwhile', async () => {
    await using server = await ScriptedServer.start(acceptAll);
    const box = await connect(server);
    const submitting = box.submitMany(mail, many);
    await turn();
    const closing = box.close();
    expect(await submitting).toHaveLength(1_500);
    await closing;
  });
});

it('a change that is cut by close says that its outcome is unknown', async () => {
  const asked = Promise.withResolvers<void>();
  await using server = await ScriptedServer.start(() => asked.resolve());
  const box = await connect(server);
  const cut = box.cancel('r1');
  const read = box.runs.get('r1');
  await asked.promise;
  const settled = Promise.allSettled([cut, read]);
  await box.close();
  const [change, view] = await settled;
  expect(change).toMatchObject({ reason: { code: 'closed', mayBeDone: true } });
  await expect(cut).rejects.toThrow('the outcome of this call is unknown');
  expect(view).toMatchObject({ reason: { code: 'closed', mayBeDone: false } });
});

it('a worker is not linked to a server that answers with a page', async () => {
  await using server = await ScriptedServer.start(asHtml);
  await using box = await connect(server);
  await expect(box.work([])).rejects.toMatchObject({ code: 'not_found' });
});

describe('a node that does not respond', () => {
  it('does not hold a handle for longer than its timeout', async () => {
    await using server = await ScriptedServer.start(() => {});
    await using box = await connect(server);
    const began = performance.now();
    await expect(box.runs.handle('r1', { timeout: '1s' })).rejects.toMatchObject({
      code: 'timeout',
    });
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
