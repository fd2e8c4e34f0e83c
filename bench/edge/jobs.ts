import { job } from 'signalbox';

/** Answers when it began, on the clock that all processes of a machine share. */
export const began = job('began', async () => performance.timeOrigin + performance.now());

export const nothing = job('nothing', async () => undefined);
