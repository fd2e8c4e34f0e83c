import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { job, type Signalbox } from './index.ts';
import { BothPlaces } from './test-programs/both-places.ts';

const big = job('big', (input: string) => `${input}!`);
const measure = job('measure', (_input: { text: string }, { inputBytes }) => {
  return { bytes: inputBytes?.length, sha256: sha256(inputBytes ?? new Uint8Array()) };
});
const text10Hash = sha256(Buffer.from(JSON.stringify({ text: 'ä'.repeat(5_000_000) })));
const bytes10 = new Uint8Array(10_000_000).map((_, i) => 255 - (i % 251));

const both = new BothPlaces();
beforeAll(() => both.start());
afterAll(() => both.stop());

describe.each(both.places)('API-16 $name', ({ open }) => {
  let box: Signalbox;

  beforeAll(async () => {
    box = await open();
    await box.work([big, measure]);
  });

  afterAll(() => box.close());

  it('U096 carries inputs and outputs that are too large for the journal', async () => {
    const input = 'x'.repeat(500_000);
    const run = await box.submit(big, input);
    expect((await run.result()).length).toBe(500_001);
  });

  it('EXT-19 EXT-08 takes an input of 10 MB, as JSON and as bytes', async () => {
    const text = await box.submit(measure, { text: 'ä'.repeat(5_000_000) });
    expect(await text.result()).toEqual({ bytes: 10_000_011, sha256: text10Hash });
    const bytes = await box.submit('measure', bytes10);
    expect(await bytes.result()).toEqual({ bytes: 10_000_000, sha256: sha256(bytes10) });
    const [, small] = await box.submitMany(measure, [
      { input: { text: 'x'.repeat(2_000_000) } },
      { input: { text: '' } },
    ]);
    expect(await small?.result()).toMatchObject({ bytes: 11 });
  });

  it('EXT-19 U096 F24 says that an input is too large for any node', async () => {
    const huge = box.submit('measure', new Uint8Array(67_108_865));
    await expect(huge).rejects.toMatchObject({
      code: 'too_large',
      status: 413,
      message: 'the input exceeds 67108864 bytes',
    });
  });

  it('EXT-19 takes 20 inputs of 200 KB at once', async () => {
    const inputs = Array.from({ length: 20 }, (_, i) => `${i}`.padStart(200_000, '-'));
    const runs = await Promise.all(inputs.map((input) => box.submit(big, input)));
    expect(await Promise.all(runs.map((run) => run.result()))).toEqual(
      inputs.map((input) => `${input}!`),
    );
  });
});

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
