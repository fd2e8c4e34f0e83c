// Our own worker as the conformance suite wants it.
import { setTimeout as delay } from 'node:timers/promises';
import { webSocketTransport } from '../transport/web-socket.ts';
import { Worker } from '../worker.ts';

const url = process.env['SIGNALBOX_URL'] ?? '';
const key = process.env['SIGNALBOX_KEY'] ?? '';

const worker = new Worker({
  transport: webSocketTransport({ url, key }),
  name: 'subject',
  total: { slots: 2 },
  handlers: {
    'conformance.echo': (_input, context) => context.inputBytes ?? undefined,
    'conformance.wait': async (_input, { signal, checkpoint }) => {
      checkpoint.offer(() => ({ stopped: true }));
      await delay(600_000, undefined, { signal });
    },
    'conformance.resume': (_input, { checkpoint }) => checkpoint.load(),
  },
});

process.on('SIGTERM', () => void worker.stop({ graceMs: 5_000 }).then(() => process.exit(0)));
void worker.start();
