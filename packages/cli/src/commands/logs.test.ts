import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../program.ts';
import { fakeApp } from '../testing/fake-app.ts';

const ID = '01a1e797-1f41-7000-8000-000000000001';

/** A run of 1,001 tasks, of which the last two print; it has ended when it is looked at again. */
async function startNode(): Promise<{ SIGNALBOX_URL: string; SIGNALBOX_KEY: string }> {
  const all = Array.from({ length: 1_001 }, (_, i) => {
    const attempts = i < 999 ? [] : [{ number: 1 }];
    return { id: `${ID}:t${i}`, name: `t${i}`, state: 'SUCCEEDED', error: null, attempts };
  });
  let looks = 0;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://node');
    const task = searchParams.get('task');
    const line = { task, attempt: 1, number: 0, at: '2026-01-01T00:00:00.000Z', stream: 'stdout' };
    const body = pathname.endsWith('/logs')
      ? { items: [{ ...line, text: `${task} speaks` }] }
      : pathname.endsWith('/tasks')
        ? { items: all.slice(1_000) }
        : {
            id: ID,
            state: ++looks > 1 ? 'SUCCEEDED' : 'RUNNING',
            tasks: all.slice(0, 1_000),
            nextTasks: '1000',
          };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { SIGNALBOX_URL: `http://127.0.0.1:${port}`, SIGNALBOX_KEY: 'k' };
}

it('signalbox logs -f prints the lines of every task of a large run, each once', async () => {
  const app = fakeApp({ environment: await startNode() });
  expect(await runCommand(app, ['logs', ID, '-f'])).toBe(0);
  expect(app.texts.out.match(/t\d+ speaks/g)).toEqual(['t999 speaks', 't1000 speaks']);
});

it('signalbox logs -f follows one task behind the first thousand', async () => {
  const app = fakeApp({ environment: await startNode() });
  expect(await runCommand(app, ['logs', `${ID}:t1000`, '-f'])).toBe(0);
  expect(app.texts.out.match(/t\d+ speaks/g)).toEqual(['t1000 speaks']);
});
