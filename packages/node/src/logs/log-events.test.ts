import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { logAlert } from './log-alert.ts';
import { logLoopEvent } from './log-loop-event.ts';

function recorder() {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  const formatters = { level: (level: string) => ({ level }) };
  const log = pino({ level: 'debug', base: {}, timestamp: false, formatters }, { write });
  return { lines, log };
}

describe('events of the commit loop', () => {
  it('a lease that another node took is a warning, one that is released is not', () => {
    const { lines, log } = recorder();
    logLoopEvent(log, { kind: 'leaseLost', partition: 3, why: 'fenced' });
    logLoopEvent(log, { kind: 'leaseLost', partition: 4, why: 'released' });
    const event = 'lease.lost';
    expect(lines).toMatchObject([
      { level: 'warn', event, partition: 3, reason: 'fenced' },
      { level: 'debug', event, partition: 4, reason: 'released' },
    ]);
  });

  it('a refused commit and a store that is away have names that can be searched', () => {
    const { lines, log } = recorder();
    logLoopEvent(log, { kind: 'groupRefused', partition: 1, error: 'too long', retryMs: 50 });
    logLoopEvent(log, { kind: 'storeAway', error: 'connection refused' });
    logLoopEvent(log, { kind: 'storeBack' });
    logLoopEvent(log, { kind: 'committed', facts: 2, ms: 1 });
    expect(lines).toMatchObject([
      { level: 'error', event: 'commit.failed', partition: 1, error: 'too long', retryMs: 50 },
      { level: 'warn', event: 'store.unavailable', reason: 'connection refused' },
      { level: 'info', event: 'store.available' },
    ]);
  });
});

describe('alerts', () => {
  it('have an event of their own, and all of them are found by one field', () => {
    const { lines, log } = recorder();
    const at = Date.parse('2030-01-31T09:00:00Z');
    const schedule = { tenant: 'acme', job: 'report', schedule: 'nightly' };
    logAlert(log, { alert: 'workerLost', about: { worker: 'w1', since: at } });
    logAlert(log, {
      alert: 'windowLate',
      about: { ...schedule, run: 'r1', window: at, since: at },
    });
    const warning = { level: 'warn', alert: true };
    const since = '2030-01-31T09:00:00.000Z';
    expect(lines).toEqual([
      { ...warning, event: 'worker.lost', worker: 'w1', since, msg: 'worker lost' },
      {
        ...warning,
        event: 'window.late',
        ...schedule,
        run: 'r1',
        window: since,
        since,
        msg: 'window started late',
      },
    ]);
  });
});
