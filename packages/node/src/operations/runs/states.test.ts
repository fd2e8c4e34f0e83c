import * as engine from '@signalbox/engine';
import * as protocol from '@signalbox/protocol';
import { expect, it } from 'vitest';

// Neither may import the other, so both write the words down; here they meet.
it('the states on the wire are those of the engine', () => {
  expect(protocol.RUN_STATES).toEqual(engine.RUN_STATES);
  expect(protocol.TASK_STATES).toEqual(engine.TASK_STATES);
});

it('the states that end a run or a task are those of the engine', () => {
  const { RUN_STATES, TASK_STATES, isEnded, isFailed } = protocol;
  expect(RUN_STATES.filter(isEnded)).toEqual(RUN_STATES.filter(engine.isTerminalRun));
  expect(TASK_STATES.filter(isEnded)).toEqual(TASK_STATES.filter(engine.isTerminalTask));
  expect(TASK_STATES.filter(isFailed)).toEqual(TASK_STATES.filter(engine.isFailure));
});
