// A worker in a process of its own: `worker-program.ts <url> <key>`. Its handlers do what tests need.
import { setTimeout as delay } from 'node:timers/promises';
import type { Handler } from '../executors/handler/handler.ts';
import { webSocketTransport } from '../transport/web-socket.ts';
import { Worker } from '../worker.ts';

const [url = '', key = ''] = process.argv.slice(2);

const block: Handler = (ms: number) => {
  const end = performance.now() + ms;
  while (performance.now() < end);
  return 'blocked';
};

const untilStopped: Handler = async (_input, { signal, checkpoint }) => {
  checkpoint.offer(() => ({ state: 'saved' }));
  await delay(600_000, undefined, { signal });
};

const worker = new Worker({
  transport: webSocketTransport({ url, key }),
  name: 'program',
  total: { slots: 2 },
  handlers: {
    block,
    untilStopped,
    echo: (input: unknown) => input,
  },
});

// Once it has stopped nothing keeps the process: a test sees it exit by itself.
process.once('SIGTERM', () => void worker.stop({ graceMs: 100 }));
void worker.start();
