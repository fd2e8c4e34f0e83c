import { Engine } from '@signalbox/engine';
import { CommitLoop, realPorts } from '@signalbox/node';
import { startRig } from './loop-lives.ts';
import { openPostgres } from './stores.ts';

const PARTITIONS = 4;

/** Read in is not enough: the engine must have made queues of what was read. */
function whenDeciding(engine: Engine, resolve: () => void): void {
  if (engine.core.books.size === PARTITIONS) resolve();
  else setImmediate(() => whenDeciding(engine, resolve));
}

/** A node dies with 100,000 live tasks, some of them running; how long until another can decide. */
export async function measureTakeOver(): Promise<Record<string, number>> {
  const { store, reopen, close } = await openPostgres();
  try {
    const rig = await startRig({
      store,
      workers: 100,
      tenants: 200,
      partitions: PARTITIONS,
      slots: 200,
      settings: { queueWindow: 200_000, classWindow: 200_000 },
      checkpointFacts: 20_000,
    });
    rig.setFinishing(false);
    for (let i = 0; i < 50; i++) await rig.submit(2_000);
    const live = [...rig.loop.engine.core.books.values()].reduce((sum, b) => sum + b.runs.size, 0);
    for (const { partition, epoch } of rig.loop.leases.held.values()) {
      // The lease is let go, so that reading is measured and not waiting for it to run out.
      const owner = (await store.listLeases()).find((l) => l.partition === partition)?.owner ?? '';
      await store.releaseLease({ partition, owner, epoch });
    }
    rig.loop.halt();

    const second = await reopen();
    const engine = new Engine();
    let taken = 0;
    const startedAt = performance.now();
    await new Promise<void>((resolve, reject) => {
      const loop = new CommitLoop({
        engine,
        store: second,
        ports: realPorts({
          release: () => {},
          observe: (event) => {
            if (event.kind === 'takenOver' && ++taken === PARTITIONS) whenDeciding(engine, resolve);
          },
        }),
        settings: { partitions: PARTITIONS },
        node: { name: 'successor', address: '' },
        onFatal: reject,
      });
      // The dead node is still in the registry; its successor must not wait for its share.
      store.listLeases().then(async (leases) => {
        for (const owner of new Set(leases.map((l) => l.owner))) await store.forgetNode(owner);
        await loop.start();
      }, reject);
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    await second.close();
    return { takeoverSeconds100k: Math.round(seconds * 1_000) / 1_000, takeoverLive: live };
  } finally {
    await close();
  }
}
