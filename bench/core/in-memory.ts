import { DEFAULT_SETTINGS } from '@signalbox/engine';

/** Waiting runs of three classes in equal parts that are all kept in memory, with some room to spare. */
export const IN_MEMORY = DEFAULT_SETTINGS.classWindow * 3 - 10_000;
