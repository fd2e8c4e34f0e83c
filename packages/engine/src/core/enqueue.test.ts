import { describe, expect, it } from 'vitest';
import { Recorded } from '../testing/recorded.ts';

describe('a task that becomes ready', () => {
  it('TEN-04 brings a tenant level whose ready tasks fitted no worker', () => {
    const h = new Recorded();
    h.addWorker({ total: { slots: 1 } });
    h.submit({ tenant: 'idle', request: { gpu: 8 } });
    h.flush();
    const { core } = h.engine;
    const owner = core.ofTenant('idle', 1);
    owner.idle = true;
    core.lowestKey[1] = 5_000;
    h.submit({ tenant: 'idle' });
    expect(owner.fairKey).toBeGreaterThanOrEqual(5_000);
    expect(owner.idle).toBe(false);
    // A tenant that competes keeps its claim.
    const other = core.ofTenant('other', 1);
    h.submit({ tenant: 'other', request: { gpu: 8 } });
    core.lowestKey[1] = 9_000;
    h.submit({ tenant: 'other' });
    expect(other.fairKey).toBeLessThan(9_000);
  });
});
