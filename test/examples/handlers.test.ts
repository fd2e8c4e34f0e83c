import { Signalbox } from 'signalbox';
import { expect, it } from 'vitest';
import { nightly } from '../../examples/handlers/nightly.ts';
import { resize } from '../../examples/handlers/resize.ts';

it('the handlers of docs/executors.md and docs/schedules.md run', async () => {
  await using box = await Signalbox.open('memory:');
  await box.work([resize, nightly]);
  const resized = await box.submit(resize, { url: 'https://example.com/cat.jpg' });
  expect(await resized.result()).toEqual({ width: 640 });
  const byHand = await box.submit(nightly, null);
  expect(await byHand.result()).toBeUndefined();
});
