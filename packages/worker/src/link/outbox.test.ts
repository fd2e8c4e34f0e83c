import {
  encodeFrames,
  type FromWorker,
  MESSAGE_BYTES_MAX,
  type Ref,
} from '@signalbox/protocol/link';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { NOTHING } from '../capacity.ts';
import { batches, Outbox } from './outbox.ts';
import { Pace } from './pace.ts';

const MOST = Number.MAX_SAFE_INTEGER;
const ref: Ref = [MOST, MOST, MOST, MOST, MOST, MOST];
const size = fc.integer({ min: 0, max: 262_144 });
const bytes = size.map((length) => new Uint8Array(length));
// Control characters and quotes are what JSON makes longest.
const text = fc.tuple(fc.constantFrom('\u001f', '"', 'é', '𝄞'), fc.integer({ min: 1, max: 8_192 }));

const frame: fc.Arbitrary<FromWorker> = fc.oneof(
  fc.constant<FromWorker>({ kind: 'accept', refs: [ref] }),
  fc.constant<FromWorker>({ kind: 'refuse', ref, foreignUse: NOTHING }),
  bytes.map(
    (output): FromWorker => ({ kind: 'finish', ref, result: { kind: 'succeeded' }, output }),
  ),
  text.map(
    ([character, count]): FromWorker => ({
      kind: 'finish',
      ref,
      result: {
        kind: 'failed',
        error: character.repeat(count).slice(0, 8_192),
        class: 'permanent',
        exitCode: -1e300 / 3,
        retryAfterMs: 1_000_000_000,
        durationMs: 1e300 / 3,
      },
      output: null,
    }),
  ),
  bytes.map((state): FromWorker => ({ kind: 'checkpoint', ref, state })),
  bytes.map((log): FromWorker => ({ kind: 'log', ref, stream: 'stdout', number: MOST, text: log })),
  fc.integer({ min: 0, max: 2_000 }).map(
    (count): FromWorker => ({
      kind: 'beat',
      foreignUse: NOTHING,
      progress: Array.from({ length: count }, () => ({ ref, value: -1e300 / 3 })),
    }),
  ),
);

describe('the outbox', () => {
  it('cuts what is said in one turn so that no message is too large, and leaves none out', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 12 }), (frames) => {
        let at = 0;
        for (const batch of batches(frames)) {
          const wire = encodeFrames(frames.slice(at, at + batch.frames));
          expect(wire.length).toBeLessThanOrEqual(Math.min(batch.bytes + 1_024, MESSAGE_BYTES_MAX));
          at += batch.frames;
        }
        expect(at).toBe(frames.length);
      }),
      { numRuns: 40 },
    );
  });

  it('sends everything of one turn as one message', async () => {
    const sent: number[] = [];
    const outbox = new Outbox((frames) => void sent.push(frames.length));
    for (let i = 0; i < 100; i += 1) outbox.send({ kind: 'accept', refs: [ref] });
    expect(sent).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual([100]);
    outbox.send({ kind: 'accept', refs: [ref] });
    outbox.clear();
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual([100]);
  });

  it('holds back what is too fast, in order, and sends it when it may', async () => {
    let now = 0;
    const sent: FromWorker[][] = [];
    const all = Promise.withResolvers<void>();
    const outbox = new Outbox((frames) => {
      sent.push([...frames]);
      if (sent.flat().length === 60) all.resolve();
    });
    outbox.pace = new Pace({ messages: 100, frames: 1_000, bytes: 20 * 262_144 }, () => now);
    const state = new Uint8Array(262_144);
    const frames = Array.from({ length: 60 }, (_, i): FromWorker => {
      return { kind: 'checkpoint', ref: [i, 0, 0, 0, 0, 0], state };
    });
    for (const frame of frames) outbox.send(frame);
    outbox.flush();
    const first = sent.flat().length;
    expect(first).toBeGreaterThan(10);
    expect(first).toBeLessThanOrEqual(20);
    expect(outbox.length).toBe(60 - first);
    const clock = setInterval(() => {
      now += 500;
    }, 1);
    await all.promise;
    clearInterval(clock);
    expect(sent.flat()).toEqual(frames);
  });

  it('gathers into few messages what would be too many', async () => {
    const sent: number[] = [];
    const outbox = new Outbox((frames) => void sent.push(frames.length));
    outbox.pace = new Pace({ messages: 100, frames: 100_000, bytes: 1e9 });
    for (let i = 0; i < 2_000; i += 1) {
      outbox.send({ kind: 'accept', refs: [ref] });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await vi.waitFor(() => expect(outbox.length).toBe(0), 20_000);
    expect(sent.reduce((a, b) => a + b)).toBe(2_000);
    expect(sent.length).toBeLessThan(1_000);
  });
});
