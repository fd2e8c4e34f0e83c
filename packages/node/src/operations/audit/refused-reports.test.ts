import { describe, expect, it, vi } from 'vitest';
import type { Audit } from '../../context/node-context.ts';
import { type RefusedReport, RefusedReports } from './refused-reports.ts';

type Entry = Parameters<Audit['record']>[0];

function world(windowMs?: number) {
  const entries: Entry[] = [];
  const record = async (entry: Entry) => void entries.push(entry);
  const reports = new RefusedReports({ record }, windowMs === undefined ? {} : { windowMs });
  const add = (worker: string): void => reports.add({ ...REPORT, worker });
  return { entries, reports, add };
}

const REPORT: RefusedReport = {
  worker: 'w',
  origin: { key: 'k1', ip: '192.0.2.1' },
  report: 'finish',
  ref: [1, 2, 3, 4, 5, 987_654_321],
  reason: 'the token is wrong',
};

describe('refused reports in the audit log', () => {
  it('SEC-06 name the key, the address, the worker and the attempt, and never the token', () => {
    const { entries, reports } = world();
    reports.add(REPORT);
    expect(entries).toMatchObject([
      {
        caller: { key: 'k1', ip: '192.0.2.1', tenant: '*' },
        action: 'worker.report_refused',
        target: 'w',
        reason: 'the token is wrong',
      },
    ]);
    expect(JSON.parse(entries[0]?.after ?? '')).toMatchObject({ partition: 1, seq: 2, attempt: 4 });
    expect(JSON.stringify(entries)).not.toContain('987654321');
  });

  it('SEC-06 are bounded for each worker and in all, and the rest is counted', async () => {
    const { entries, reports, add } = world();
    for (let i = 0; i < 100; i++) add('loud');
    expect(entries).toHaveLength(10);
    add('quiet');
    expect(entries.at(-1)).toMatchObject({ target: 'quiet' });
    for (let i = 0; i < 200; i++) add(`worker-${i}`);
    expect(entries).toHaveLength(50);
    await reports.stop();
    expect(entries.at(-1)).toMatchObject({ target: '*', after: '{"suppressed":251}' });
    expect(entries).toHaveLength(51);
  });

  it('SEC-06 are written again in the next window', async () => {
    const { entries, add } = world(1);
    for (let i = 0; i < 11; i++) add('loud');
    await vi.waitFor(() => expect(entries.at(-1)).toMatchObject({ after: '{"suppressed":1}' }));
    add('loud');
    expect(entries.at(-1)).toMatchObject({ target: 'loud' });
  });
});
