import { isWithin, type LimitName, rangeText } from '@signalbox/protocol';
import { type Command, InvalidArgumentError } from 'commander';

const LIMIT_MAX = 100_000;

export function limitOption(command: Command, fallback: number): void {
  command.option('-n, --limit <count>', 'how many at most', toCount, fallback);
}

export function limitOf(options: Readonly<Record<string, unknown>>): number {
  return options['limit'] as number;
}

export function toCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= LIMIT_MAX) return count;
  throw new InvalidArgumentError(`Use a whole number from 1 to ${LIMIT_MAX}.`);
}

/** Reads a number in the range that the API has for it. */
export function within(name: LimitName): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && isWithin(name, value)) return value;
    throw new InvalidArgumentError(`Use ${rangeText(name)}.`);
  };
}
