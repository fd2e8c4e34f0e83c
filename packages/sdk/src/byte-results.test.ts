import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { isolated, job, type Signalbox } from './index.ts';
import { BothPlaces } from './test-programs/both-places.ts';
import { raw } from './test-programs/raw.ts';

const inProcess = job('raw', raw);
const file = new URL('./test-programs/raw.ts', import.meta.url);
const inThread = job('raw-thread', isolated<typeof raw>(file, { export: 'raw' }));
const inChild = job(
  'raw-process',
  isolated<typeof raw>(file, { export: 'raw', isolation: 'process' }),
);
const given = job('given', (_input: unknown, { inputBytes }) => [...(inputBytes ?? [])]);

const both = new BothPlaces();
beforeAll(() => both.start());
afterAll(() => both.stop());

describe.each(both.places)('bytes in the $name box', ({ open }) => {
  let box: Signalbox;
  beforeAll(async () => {
    box = await open();
    await box.work([inProcess, inThread, inChild, given]);
  });
  afterAll(() => box.close());

  it.each([
    ['in process', inProcess],
    ['in a thread', inThread],
    ['in a process', inChild],
  ])('that a handler %s returns are the output as they are', async (_where, of) => {
    const number = await box.submit(of, '123');
    expect(await number.bytes()).toEqual(new Uint8Array([49, 50, 51]));
    const result = number.result();
    expectTypeOf(result).resolves.toBeUnknown();
    expect(await result).toBe(123);
    expect(await (await box.submit(of, 'plain text')).result()).toBe('plain text');
    const wrong = await box.submit(of, null);
    expect(await wrong.result()).toEqual(new Uint8Array([255, 0]));
    expect(await wrong.bytes()).toEqual(new Uint8Array([255, 0]));
  });

  it('that are submitted reach the handler as they are', async () => {
    const bytes = new Uint8Array([49, 50]);
    for (const input of [bytes, Buffer.from(bytes), bytes.buffer, new DataView(bytes.buffer)]) {
      expect(await (await box.submit('given', input)).result()).toEqual([49, 50]);
    }
  });

  it('of any other result are its JSON', async () => {
    const run = await box.submit(given, new Uint8Array([7]));
    expect(new TextDecoder().decode(await run.bytes())).toBe('[7]');
  });
});
