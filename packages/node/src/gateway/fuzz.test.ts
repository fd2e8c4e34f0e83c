import { CLOSE } from '@signalbox/protocol';
import { expect, it } from 'vitest';
import { fuzzGateway } from './testing/fuzz-gateway.ts';

// A million of them: test/load/gateway-fuzz.ts
it('F25 SEC-06 20,000 hostile messages: no crash, nothing lost, nothing forged, offenders closed', async () => {
  const report = await fuzzGateway({ count: 20_000, seed: 25 });
  expect(report.fatal).toEqual([]);
  expect(report.submitted).toBe(200);
  expect(report.succeeded).toBe(200);
  expect(report.disturbed).toBe(0);
  expect(report.linesForged).toBe(0);
  expect(report.closed[CLOSE.protocol]).toBeGreaterThan(500);
});
