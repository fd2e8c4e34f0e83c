// Whatever a client sends is refused with a reason, or it is what the handler gets, what a checkpoint
// keeps, what comes out again, and what is shown after a restart: through every door, on every store.
import type { RunView } from '@signalbox/protocol';
import { TransientError } from '@signalbox/worker';
import fc from 'fast-check';
import { job, Signalbox, SignalboxError } from 'signalbox';
import { afterEach, describe, expect, it } from 'vitest';
import { ROOT_KEY } from '../../packages/node/src/api/testing/api-world.ts';
import {
  type Outcome,
  STORES,
  SurfaceWorld,
  TENANT,
} from '../../packages/node/src/api/testing/surface-world.ts';
import { createDatabase } from '../../tools/testing/postgres.ts';
import { assertProperty } from '../../tools/testing/property.ts';
import { bytesValue, fields, jsonValue } from './values.ts';

const RUNS = 30;
const WAIT_MS = 2_000;
const TRIES = 10;
const JOB = 'echo';
const echo = job(JOB, (input: unknown) => input);

/** What the handler does with its input before it returns it. */
const PLANS = ['return', 'checkpoint'] as const;
const DOORS = ['http', 'batch', 'sdk', 'sdkMany', 'process'] as const;
const REFUSALS = ['invalid', 'bad_request', 'too_large', 'conflict', 'idempotency_conflict'];

interface Sample {
  readonly input: unknown;
  readonly more: Record<string, unknown>;
  readonly door: (typeof DOORS)[number];
  readonly plan: (typeof PLANS)[number];
}

const sample: fc.Arbitrary<Sample> = fc
  .record({
    input: fc.oneof({ weight: 3, arbitrary: jsonValue }, { weight: 1, arbitrary: bytesValue }),
    more: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fields }),
    door: fc.constantFrom(...DOORS),
    plan: fc.constantFrom(...PLANS),
  })
  // Some are too long, or too deep, to be printed whole.
  .map((each) => ({ ...each, [fc.toStringMethod]: () => JSON.stringify(each).slice(0, 500) }));

let world: SurfaceWorld;
let box: Signalbox | undefined;
async function closeBox(): Promise<void> {
  await box?.close();
  box = undefined;
}

afterEach(async () => {
  await closeBox();
  await world.stop();
});

/** Submits; the ids of all runs that were made. */
async function submit({ input, more, door }: Sample): Promise<Outcome<string[]>> {
  const isBytes = input instanceof Uint8Array;
  const payload = isBytes ? { inputBase64: Buffer.from(input).toString('base64') } : { input };
  const item = { job: JOB, ...payload, ...more };
  switch (door) {
    case 'http':
      return idsOf(await world.ask('/runs', item));
    case 'batch': {
      const { idempotencyKey: _, uniqueKey: _value, ...shared } = item as Record<string, unknown>;
      return idsOf(await world.ask('/runs/batch', { items: [item, shared] }));
    }
    case 'process':
      return idsOf(await world.submitHere(item));
    case 'sdk':
      return bySdk(async (sdk) => [await sdk.submit(echo, input, more)]);
    case 'sdkMany': {
      const { idempotencyKey: _, uniqueKey: _value, ...shared } = more;
      return bySdk((sdk) =>
        sdk.submitMany(echo, [
          { input, ...more },
          { input, ...shared },
        ]),
      );
    }
  }
}

function idsOf(outcome: Outcome<unknown>): Outcome<string[]> {
  if (outcome.kind === 'refused') return outcome;
  const { id, items } = outcome.value as { id?: string; items?: { id: string }[] };
  return { kind: 'accepted', value: items?.map((each) => each.id) ?? [id as string] };
}

async function bySdk(
  send: (sdk: Signalbox) => Promise<readonly { readonly id: string }[]>,
): Promise<Outcome<string[]>> {
  box ??= await Signalbox.connect(world.url, { key: ROOT_KEY, tenant: TENANT });
  try {
    return { kind: 'accepted', value: (await send(box)).map(({ id }) => id) };
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error;
    return { kind: 'refused', code: error.code, message: error.message };
  }
}

async function ended(id: string): Promise<RunView> {
  for (let i = 0; i < TRIES; i++) {
    const view = await world.view(id, WAIT_MS);
    if (view.endedAt !== null) return view;
  }
  throw new Error(`run ${id} does not end: ${JSON.stringify(await world.view(id))}`);
}

/** Of a run that is not due, what must be the same after a restart. */
function lasting({
  id,
  job: of,
  jobVersion,
  priority,
  submittedAt,
  idempotencyKey,
  tasks,
}: RunView) {
  return {
    id,
    of,
    jobVersion,
    priority,
    submittedAt,
    idempotencyKey,
    runAt: tasks.map(({ runAt }) => runAt),
  };
}

/** What its JSON says, or the bytes themselves. */
function sentValue(input: unknown): unknown {
  return input instanceof Uint8Array ? input : JSON.parse(JSON.stringify(input));
}

function read(bytes: Uint8Array, like: unknown): unknown {
  return like instanceof Uint8Array ? bytes : JSON.parse(new TextDecoder().decode(bytes));
}

/** To be compared: the depth of a value does not matter then. */
function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : JSON.stringify(value);
}

describe.each(STORES)('what a client sends, on %s', (kind) => {
  it('is refused with the reason, or is what is run, stored and read back after a restart', async () => {
    world = await SurfaceWorld.start(kind, createDatabase);
    const retry = { maxAttempts: 3, backoff: { type: 'fixed', delay: 10 } };
    await world.ask(`/jobs/${JOB}`, { tasks: [{ handler: 'any', retry }] }, 'PUT');
    /** By run: what it was submitted with, and how it was shown when it had ended, or was not due. */
    const accepted = new Map<string, { value: unknown; view: RunView }>();
    await assertProperty(
      fc.asyncProperty(sample, async (sent) => {
        const value = sentValue(sent.input);
        world.behaviour = {
          ...world.behaviour,
          handler: async (input, context) => {
            const own =
              value instanceof Uint8Array ? (context.inputBytes ?? new Uint8Array()) : input;
            if (sent.plan === 'return' || value instanceof Uint8Array) return own;
            const saved = context.checkpoint.load<{ own: unknown }>();
            if (saved !== null) return saved.own;
            await context.checkpoint.save({ own });
            throw new TransientError('saved');
          },
        };
        const outcome = await submit(sent);
        if (outcome.kind === 'refused') {
          expect(REFUSALS).toContain(outcome.code);
          expect(outcome.message).not.toBe('');
          return;
        }
        for (const id of outcome.value) {
          if (accepted.has(id)) continue;
          const now = await world.view(id);
          const isDue = now.tasks.every(
            ({ runAt }) => runAt === null || Date.parse(runAt) < Date.now() + 1_000,
          );
          const view = isDue ? await ended(id) : now;
          accepted.set(id, { value, view });
          if (isDue) expect(view.state, JSON.stringify(view)).toBe('SUCCEEDED');
        }
        expect([world.fatal, world.disconnects]).toEqual([[], []]);
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 600_000 },
    );
    expect(accepted.size).toBeGreaterThan(0);
    const compare = async (): Promise<void> => {
      for (const [id, { value, view }] of accepted) {
        expect(textOf(read(await world.payload(id, 'input'), value))).toBe(textOf(value));
        const shown = await world.view(id);
        expect(lasting(shown)).toEqual(lasting(view));
        if (view.endedAt === null) continue;
        // The output is compared below; here it may be too deep.
        expect({ ...shown, output: null }).toEqual({ ...view, output: null });
        expect(textOf(read(await world.payload(id, 'output'), value))).toBe(textOf(value));
      }
    };
    await compare();
    await closeBox();
    await world.restart();
    await compare();
    expect(world.fatal).toEqual([]);
  }, 660_000);
});
