import { describe, expect, it } from 'vitest';
import { appendSuite } from './append-suite.ts';
import { auditSuite } from './audit-suite.ts';
import { beatSuite } from './beat-suite.ts';
import { bytesSuite } from './bytes-suite.ts';
import { checkpointsSuite } from './checkpoints-suite.ts';
import { definitionsSuite } from './definitions-suite.ts';
import { fencingSuite } from './fencing-suite.ts';
import { inboxSuite } from './inbox-suite.ts';
import { keysSuite } from './keys-suite.ts';
import { leasesSuite } from './leases-suite.ts';
import { logsSuite } from './logs-suite.ts';
import { pageBytesSuite } from './page-bytes-suite.ts';
import { parkedSuite } from './parked-suite.ts';
import { reservedKeysSuite } from './reserved-keys-suite.ts';
import { rowBlocksSuite } from './row-blocks-suite.ts';
import { runsSuite } from './runs-suite.ts';
import { segmentsSuite } from './segments-suite.ts';
import type { ConformanceTarget } from './target.ts';
import { textSuite } from './text-suite.ts';
import { expectUnchanged, openWorld } from './world.ts';

/** The contract of `Store`, sentence by sentence: the same tests for every store. */
export function conformanceSuite(target: ConformanceTarget): void {
  describe(`${target.name} store`, () => {
    it('can be migrated again, and tells its time', async () => {
      const world = await openWorld(target);
      await expectUnchanged(world, () => world.store.migrate());
      expect(Number.isSafeInteger(await world.store.now())).toBe(true);
      expect(await world.store.now()).toBeGreaterThanOrEqual(world.baseMs);
    });
    appendSuite(target);
    fencingSuite(target);
    keysSuite(target);
    reservedKeysSuite(target);
    leasesSuite(target);
    beatSuite(target);
    checkpointsSuite(target);
    runsSuite(target);
    parkedSuite(target);
    rowBlocksSuite(target);
    inboxSuite(target);
    definitionsSuite(target);
    logsSuite(target);
    auditSuite(target);
    segmentsSuite(target);
    bytesSuite(target);
    pageBytesSuite(target);
    textSuite(target);
  });
}
