import type { Health } from '@signalbox/protocol';
import type { NodeContext } from '../context/node-context.ts';

const STORE_TIMEOUT_MS = 2_000;

type Check = Health['checks'][string];

/** Whether the node can do its work, and if not, what is down (API-15). Says no address and no error text. */
export async function checkReadiness(context: NodeContext): Promise<Health> {
  const store = await storeAnswers(context);
  const checks: Health['checks'] = {
    store,
    partitions: (store.ok ? await ownedElsewhere(context) : null) ?? partitionsOwned(context),
    loop: loopRuns(context),
  };
  const ok = Object.values(checks).every((check) => check.ok);
  return { status: ok ? 'ok' : 'down', checks, version: context.version };
}

function storeAnswers({ store }: NodeContext): Promise<Check> {
  // A read, not only the clock: a file that is gone or locked still has a clock.
  const asked = store.readGroup({ partition: 0, seq: 0 }).then(
    (): Check => ({ ok: true }),
    (): Check => ({ ok: false, detail: 'the store is unavailable' }),
  );
  return inTime(asked, { ok: false, detail: `no response within ${STORE_TIMEOUT_MS} ms` });
}

/** A node without partitions can work where other nodes own all of them; null where that is not so. */
async function ownedElsewhere(context: NodeContext): Promise<Check | null> {
  const { loop, partitions } = context;
  if (loop.leases.held.size > 0 || loop.stoppedPartitions.size > 0) return null;
  const asked = context.isEveryPartitionOwned?.().catch(() => false) ?? false;
  if (!(await inTime(asked, false))) return null;
  return { ok: true, detail: `other nodes own all ${partitions} partitions` };
}

async function inTime<T>(asked: T | Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), STORE_TIMEOUT_MS);
  });
  const answer = await Promise.race([asked, late]);
  clearTimeout(timer);
  return answer;
}

/** Held is not enough: what is still being read in refuses submissions, and nobody can count it. */
function partitionsOwned({ loop }: NodeContext): Check {
  const held = [...loop.leases.held.values()];
  const owned = held.filter((one) => loop.hasRead(one.partition)).length;
  const stopped = [...loop.stoppedPartitions.keys()].filter((p) => !loop.hasRead(p));
  const detail =
    `${owned} of ${held.length} leased partitions are ready` +
    (stopped.length === 0
      ? ''
      : `; stopped, because their facts cannot be read: ${stopped.join(', ')}; see "signalbox doctor"`);
  return { ok: owned > 0 && owned === held.length, detail };
}

function loopRuns({ loop }: NodeContext): Check {
  const { pauseFrom } = loop.engine.core;
  if (pauseFrom === 0)
    return { ok: false, detail: 'no task is assigned, because the store is unavailable' };
  return pauseFrom === 3
    ? { ok: true }
    : {
        ok: true,
        detail: `P${pauseFrom} and lower priorities are paused, because the store is slow`,
      };
}
