import * as engine from '@signalbox/engine';
import * as protocol from '@signalbox/protocol';
import { expect, it } from 'vitest';

// Neither may import the other, so both write the words down; here they meet.
it('the states on the wire are those of the engine', () => {
  expect(protocol.RUN_STATES).toEqual(engine.RUN_STATES);
  expect(protocol.TASK_STATES).toEqual(engine.TASK_STATES);
});
