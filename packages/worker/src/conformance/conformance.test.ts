import { fileURLToPath } from 'node:url';
import type { FromWorker } from '@signalbox/protocol/link';
import { describe, expect, it } from 'vitest';
import type { Connection, Transport } from '../transport/transport.ts';
import { webSocketTransport } from '../transport/web-socket.ts';
import { Worker } from '../worker.ts';
import { HANDLERS } from './assignment.ts';
import { playScenario, SCENARIOS, type StartSubject, startCommand } from './run-conformance.ts';

const program = fileURLToPath(new URL('../testing/conformance-worker.ts', import.meta.url));
const flags = '--disable-warning=ExperimentalWarning';
const ours = startCommand([process.execPath, flags, program]);

describe('our own worker, in a process of its own', () => {
  it.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
    '%s',
    async (_, scenario) => {
      expect(await playScenario(scenario, ours)).toBeNull();
    },
  );
});

type Change = (frame: FromWorker) => FromWorker | null;

/** A worker that changes, or keeps back, what is said to the node. */
function liar(change: Change): StartSubject {
  return async (params) => {
    const honest = webSocketTransport(params);
    const transport: Transport = {
      connect: async (handlers) => {
        const connection = await honest.connect(handlers);
        const send: Connection['send'] = (frames) =>
          connection.send(frames.flatMap((frame) => change(frame) ?? []));
        return { send, close: () => connection.close() };
      },
      dispose: () => honest.dispose?.(),
    };
    const worker = new Worker({
      transport,
      name: 'liar',
      total: { slots: 2 },
      handlers: {
        [HANDLERS.echo]: (_input, context) => context.inputBytes ?? undefined,
        [HANDLERS.wait]: (_input, { signal }) =>
          new Promise((_, reject) => signal.addEventListener('abort', reject)),
        [HANDLERS.resume]: () => 'something else',
      },
    });
    void worker.start();
    return { stop: () => worker.stop(), kill: () => worker.stop({ graceMs: 0 }) };
  };
}

describe('the suite finds a worker that', () => {
  const found: [string, { scenario: string; change: Change; problem: RegExp }][] = [
    [
      'forgets an unconfirmed result',
      {
        scenario: 'keeps a result over reconnects until it is confirmed',
        change: (frame) => (frame.kind === 'hello' ? { ...frame, holds: [] } : frame),
        problem: /hello.holds/,
      },
    ],
    [
      'changes an output',
      {
        scenario: 'accepts, runs, and reports the output',
        change: (frame) => (frame.kind === 'finish' ? { ...frame, output: null } : frame),
        problem: /byte by byte/,
      },
    ],
    [
      'calls a stop a failure',
      {
        scenario: 'stops within the grace when it is told to',
        change: (frame) =>
          frame.kind === 'finish' ? { ...frame, result: { kind: 'failed', error: 'x' } } : frame,
        problem: /stopped, not failed/,
      },
    ],
    [
      'says what is no frame',
      {
        scenario: 'accepts, runs, and reports the output',
        change: (frame) =>
          frame.kind === 'accept' ? ({ kind: 'yes' } as unknown as FromWorker) : frame,
        problem: /unknown frame/,
      },
    ],
    [
      'saves no checkpoint',
      {
        scenario: 'saves a checkpoint, and resumes from one',
        change: (frame) => frame,
        problem: /state is saved/,
      },
    ],
  ];
  it.each(found)('%s', { timeout: 30_000 }, async (_, { scenario, change, problem }) => {
    const played = SCENARIOS.find((each) => each.name === scenario);
    expect(await playScenario(played!, liar(change))).toMatch(problem);
  });
});
