// A web service that does its slow work in the background: one process, one file, no server.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { job, PermanentError, Signalbox } from 'signalbox';

interface Order {
  readonly id: string;
  readonly email: string;
}

const confirmOrder = job(
  'confirm-order',
  { retry: { maxAttempts: 5 }, timeout: '30s' },
  async (order: Order, ctx) => {
    // Trying again cannot help here: the run fails at once.
    if (!order.email.includes('@')) throw new PermanentError(`no address: ${order.email}`);
    ctx.log.info('sending', { to: order.email });
    // The same for every attempt: give it to the mail service, and nobody gets two mails.
    return { sentTo: order.email, key: ctx.idempotencyKey };
  },
);

const box = await Signalbox.open('file:./orders.db');
await box.work([confirmOrder], { concurrency: 20 });

const server = createServer(async (request, response) => {
  if (request.method === 'GET') {
    const asked = await box.runs.handle((request.url ?? '').slice(1));
    const { state } = await asked.wait({ timeout: '10s' });
    response.end(JSON.stringify({ state }));
    return;
  }
  const order = JSON.parse(await text(request)) as Order;
  // With the order as the key, a client may repeat its request as often as it likes.
  const run = await box.submit(confirmOrder, order, { idempotencyKey: `order-${order.id}` });
  response.writeHead(202, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ run: run.id, isNew: run.created }));
});
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1');
await once(server, 'listening');
console.log(JSON.stringify(server.address()));

await once(process, 'SIGTERM');
server.close();
await box.close();
