import { describe, expect, it } from 'vitest';
import { parseOptions, UsageError } from './options.ts';
import { SYSTEMS } from './testing/lines.ts';

const parse = (...args: string[]) => parseOptions(args, SYSTEMS);
const names = (...args: string[]) => parse(...args).systems.map(({ name }) => name);

describe('options of the comparison', () => {
  it('measures steady state with everybody where nothing is said', () => {
    expect(parse()).toMatchObject({ mode: 'rounds', shapes: ['steady'], rounds: 3 });
    expect(names()).toEqual(SYSTEMS.map(({ name }) => name));
  });

  it('picks peers by --against and systems by --only', () => {
    expect(names('--against', 'bullmq')).toEqual(['signalbox', 'signalbox-embedded', 'bullmq']);
    expect(names('--only', 'signalbox,bullmq')).toEqual(['signalbox', 'bullmq']);
    expect(names('--only', 'signalbox-variants')).toEqual(['signalbox', 'signalbox-embedded']);
  });

  it('sizes the long shapes', () => {
    const { sizes } = parse('--backlog', '2000,1000', '--history', '5000', '--short');
    expect(sizes).toMatchObject({ backlogTasks: [1_000, 2_000], historyTasks: [5_000] });
  });

  it('refuses what it does not know', () => {
    for (const args of [
      ['--shape', 'square'],
      ['--against', 'nobody'],
      ['--rounds', '0'],
      ['--nonsense'],
    ]) {
      expect(() => parse(...args)).toThrow(UsageError);
    }
  });
});
