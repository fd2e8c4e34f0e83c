import { expect, it } from 'vitest';
import { measured } from '../testing/lines.ts';
import { quietest } from './quietest.ts';

it('leaves out disturbed rounds where a system has others in the shape, and keeps them where not', () => {
  const steady = measured({ system: 'signalbox', figures: { rate: 1 } });
  const disturbed = {
    ...measured({ system: 'signalbox', round: 1, figures: { rate: 2 } }),
    isDisturbed: true,
  };
  const single = {
    ...measured({ system: 'signalbox', shape: 'single', figures: { rate: 3 } }),
    isDisturbed: true,
  };
  const peer = { ...measured({ system: 'fast-peer', figures: { rate: 4 } }), isDisturbed: true };
  expect(quietest([steady, disturbed, single, peer])).toEqual([steady, single, peer]);
});
