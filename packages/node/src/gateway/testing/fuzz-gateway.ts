import { seededRandom } from '@signalbox/engine';
import { encodeFrames } from '@signalbox/protocol';
import { GatewayWorld } from './gateway-world.ts';
import { HostileMessages } from './hostile-messages.ts';
import { LoopbackSocket } from './loopback-socket.ts';
import { helloOf, TestWorker } from './test-worker.ts';

/** Messages between two looks at the good worker. */
const ROUND = 200;
const MESSAGES_PER_LINK = 25;
/** Names of hostile workers that come back again and again. */
const NAMES = 50;

export interface FuzzReport {
  readonly messages: number;
  /** Links that the node closed, by code. */
  readonly closed: Readonly<Record<number, number>>;
  readonly submitted: number;
  readonly succeeded: number;
  /** Runs with more than one attempt: somebody else's word was taken for the worker's. */
  readonly disturbed: number;
  readonly linesForged: number;
  readonly fatal: readonly unknown[];
}

/** F25: hostile messages on many links while one good worker goes on working; nothing may be lost. */
export async function fuzzGateway(params: {
  count: number;
  seed: number;
  onProgress?: (messages: number) => void;
}): Promise<FuzzReport> {
  const world = await GatewayWorld.start();
  await world.define('mail', { tasks: [{ executor: 'handler:mail' }] });
  const hostile = new HostileMessages(seededRandom(params.seed));
  const good = await TestWorker.connect(world.gateway, helloOf('good'));
  const closed: Record<number, number> = {};
  let succeeded = 0;
  let disturbed = 0;
  let submitted = 0;
  for (let sent = 0; sent < params.count; sent += ROUND) {
    const runs = [await world.submit('mail'), await world.submit('mail')];
    submitted += runs.length;
    await good.when(() => good.of('assign').length === runs.length);
    hostile.stolen = [...hostile.stolen.slice(-4), ...good.of('assign').map(({ ref }) => ref)];
    for (let i = 0; i < ROUND; i += MESSAGES_PER_LINK) {
      const code = attack(world, hostile, `evil-${((sent + i) / MESSAGES_PER_LINK) % NAMES}`);
      if (code !== null) closed[code] = (closed[code] ?? 0) + 1;
      // The engine hears them while the attempts they speak of are live.
      await new Promise((resolve) => setImmediate(resolve));
    }
    finishAll(good);
    for (const id of runs) {
      await world.ended(id);
      const view = await world.view(id);
      if (view.state === 'SUCCEEDED') succeeded++;
      if (view.tasks[0]?.attempts.length !== 1) disturbed++;
    }
    params.onProgress?.(sent + ROUND);
  }
  const report = {
    messages: params.count,
    closed,
    submitted,
    succeeded,
    disturbed,
    linesForged: world.lines.length,
    fatal: world.fatal,
  };
  await world.stop();
  return report;
}

function finishAll(good: TestWorker): void {
  const { foreignUse } = helloOf('good');
  good.say({ kind: 'beat', foreignUse, progress: [] });
  for (const { ref } of good.of('assign')) {
    good.say({ kind: 'accept', refs: [ref] });
    good.succeed(ref);
  }
  good.frames.length = 0;
}

/** One link after the other, each until the node has had enough of it; answers how the last one ended. */
function attack(world: GatewayWorld, hostile: HostileMessages, name: string): number | null {
  let socket: LoopbackSocket | null = null;
  let code: number | null = null;
  for (let i = 0; i < MESSAGES_PER_LINK; i++) {
    if (socket === null || socket.readyState !== socket.OPEN) {
      socket = new LoopbackSocket(world.gateway);
      // Half of them get past the door first.
      const hello = helloOf(name, { executors: ['handler:evil'] });
      if (i % 2 === 0) socket.arrive(encodeFrames([hello]));
    }
    socket.arrive(hostile.next());
    code = socket.code ?? code;
  }
  socket?.terminate();
  return code;
}
