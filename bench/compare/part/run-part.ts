import { nowMs } from '../clock.ts';
import { readJsonLines } from '../json-lines.ts';
import type { Command, Message, Role } from '../part-protocol.ts';
import { type Payload, payloads } from './payload.ts';
import { type Producer, Producing } from './producing.ts';
import { Tally } from './tally.ts';

const COUNT_EVERY_MS = 5;

export interface PartWorker {
  /** Resolves when what was handled is durable and nothing more is taken. */
  close(): Promise<unknown>;
}

/** One system from the inside. `work` begins to take tasks and calls `onTask` at the start of each. */
export interface Part<Config> {
  produce(config: Config): Promise<Producer>;
  /** Makes a schedule for each; absent where the system is not measured in such a shape. */
  schedule?(config: Config, schedules: Schedules): Promise<unknown>;
  /** Above zero while tasks have not ended; only where no other process can be asked. */
  left?(config: Config): Promise<number>;
  work(config: Config, onTask: (data: Payload) => void): Promise<PartWorker>;
}

/** What is due at one minute. */
export interface Schedules {
  readonly cron: string;
  readonly payloads: readonly Payload[];
}

function say(message: Message): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** Makes this process a part: obeys standard input until it is told to stop. */
export async function runPart<Config>(part: Part<Config>): Promise<void> {
  const role = process.argv[2] as Role;
  const config = JSON.parse(process.argv[3] ?? '{}') as Config;
  const tally = new Tally();
  const producing = role === 'worker' ? null : await openProducing(part, config);
  let worker: PartWorker | null = null;
  let scheduled = 0;

  const answer = async (command: Command): Promise<Message | null> => {
    switch (command.kind) {
      case 'done':
        producing?.producing.done(command.n);
        return null;
      case 'halt':
        producing?.producing.halt();
        return null;
      case 'schedule': {
        if (part.schedule === undefined) throw new Error('it makes no schedules');
        const startedAtMs = nowMs();
        const { n, cron } = command;
        await part.schedule(config, { cron, payloads: scheduledPayloads(n) });
        scheduled += n;
        return { kind: 'result', n, ms: nowMs() - startedAtMs };
      }
      case 'work':
        worker = await part.work(config, (data) => tally.add(data, nowMs()));
        reportCounts(tally);
        return { kind: 'working' };
      case 'delays':
        return { kind: 'delays', delaysMs: tally.takeDelays() };
      case 'left': {
        if (part.left === undefined) throw new Error('it cannot say what is left');
        return { kind: 'left', n: await part.left(config) };
      }
      case 'stop': {
        await worker?.close();
        await producing?.producer.close();
        const { handled, duplicates } = tally;
        const submitted = (producing?.producing.submitted ?? 0) + scheduled;
        return { kind: 'bye', submitted, handled, duplicates };
      }
      case 'load':
      case 'single':
      case 'batch':
      case 'steady':
      case 'latency':
        if (producing === null) throw new Error(`${command.kind} is for producers`);
        return { kind: 'result', ...(await producing.producing.run(command)) };
    }
  };
  readJsonLines<Command>(process.stdin, (command) => {
    void answer(command).then((message) => {
      if (message === null) return;
      if (message.kind !== 'bye') return say(message);
      // Peers keep timers and connections; what had to be finished is finished.
      process.stdout.write(`${JSON.stringify(message)}\n`, () => process.exit(0));
    }, fail);
  });
  process.stdin.once('end', () => process.exit(1));
  say({ kind: 'ready' });
}

async function openProducing<Config>(part: Part<Config>, config: Config) {
  const producer = await part.produce(config);
  return { producer, producing: new Producing(producer) };
}

function scheduledPayloads(n: number): Payload[] {
  return payloads(0, n).map((data) => ({ ...data, t0: 0 }));
}

function reportCounts(tally: Tally): void {
  let told = 0;
  setInterval(() => {
    if (tally.handled === told) return;
    told = tally.handled;
    say({ kind: 'count', n: told });
  }, COUNT_EVERY_MS).unref();
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
}
