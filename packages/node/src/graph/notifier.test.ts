import type { Answer } from '@signalbox/engine';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import type { NodeContext } from '../context/node-context.ts';
import { Notifier } from './notifier.ts';

const notification = { id: 'n', tenant: 'acme', job: 'mail', version: 1, on: 'success' };

it('HTP-06 a delivery that the loop could not take in is stated until it is, and no longer', async () => {
  const answers: Answer[] = [
    { kind: 'refused', code: 'overloaded', message: 'later' },
    { kind: 'refused', code: 'unknown', message: 'who knows' },
    { kind: 'refused', code: 'not_owner', message: 'another node has it' },
  ];
  let loads = 0;
  const execute = vi.fn(async () => answers.shift());
  const load = async () => {
    // The store is away for longer than a receiver would be asked.
    if (++loads < 5) throw new Error('away');
    return {};
  };
  const loop = { specs: { load, definitionOf: () => ({}) }, execute };
  const context = { loop, log: pino({ level: 'silent' }) } as unknown as NodeContext;
  const notifier = new Notifier(() => context, [1, 1]);
  notifier.notify({ partition: 0, notification: notification as never });
  await vi.waitFor(() => expect(execute).toHaveBeenCalledTimes(3), 20_000);
  await new Promise(setImmediate);
  expect(execute).toHaveBeenCalledTimes(3);
  expect(execute).toHaveBeenLastCalledWith({
    ...{ kind: 'notified', partition: 0, id: 'n' },
    delivered: true,
  });
  notifier.stop();
});
