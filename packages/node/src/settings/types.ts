import { durationMs, type PortRange, parseBlock, showPorts } from '@signalbox/protocol';

/** How a setting is read. What comes from a flag or the environment is text; a file may be richer. */
export interface SettingType<T> {
  /** Ends the sentence "it must be …". */
  readonly words: string;
  /** Answers undefined for what is not one. */
  read(raw: unknown): T | undefined;
  /** Several values separated by commas: a flag that is given twice adds to the first. */
  readonly isList?: true;
  /** As it is written in a flag; as `String` has it where this is absent. */
  show?(value: T): string;
}

export const text: SettingType<string> = {
  words: 'text',
  read: (raw) => (typeof raw === 'string' && raw !== '' ? raw : undefined),
};

export const flag: SettingType<boolean> = {
  words: 'true or false',
  read: (raw) => {
    if (typeof raw === 'boolean') return raw;
    if (raw === 'true' || raw === '1') return true;
    if (raw === 'false' || raw === '0') return false;
    return undefined;
  },
};

export function integer(min: number, max: number): SettingType<number> {
  return {
    words: `a whole number from ${min} to ${max}`,
    read: (raw) => {
      const isNumber = typeof raw === 'number' || (typeof raw === 'string' && /^\d+$/.test(raw));
      const value = Number(raw);
      const isWithin = Number.isSafeInteger(value) && value >= min && value <= max;
      return isNumber && isWithin ? value : undefined;
    },
  };
}

export function choice<const T extends string>(words: readonly T[]): SettingType<T> {
  return {
    words: `one of ${words.join(', ')}`,
    read: (raw) => words.find((word) => word === raw),
  };
}

/** Separated by commas, or a list in a file. */
export const list: SettingType<readonly string[]> = {
  words: 'a comma-separated list',
  isList: true,
  read: (raw) => {
    const items = typeof raw === 'string' ? raw.split(',').map((item) => item.trim()) : raw;
    if (!Array.isArray(items)) return undefined;
    return items.every((item) => typeof item === 'string' && item !== '') ? items : undefined;
  },
};

/** Addresses and blocks of addresses, separated by commas, or a list in a file. */
export const addressBlocks: SettingType<readonly string[]> = {
  words: 'a list of IP addresses and address blocks such as 10.0.0.5,10.1.0.0/16',
  read: (raw) => {
    const items = list.read(raw);
    return items?.every((item) => parseBlock(item) !== null) ? items : undefined;
  },
};

const PORT_MAX = 65_535;

/** Ports and ranges of them separated by commas, or a list in a file. */
export const ports: SettingType<readonly PortRange[]> = {
  words: 'a list of ports and port ranges such as 443,8080-8090',
  isList: true,
  read: (raw) => {
    const items = Array.isArray(raw) ? raw : String(raw).split(',');
    const ranges = items.map((item) => toPorts(String(item).trim()));
    return ranges.every((range) => range !== undefined) && ranges.length > 0 ? ranges : undefined;
  },
  show: (ranges) => ranges.map(showPorts).join(','),
};

function toPorts(text: string): PortRange | undefined {
  const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text);
  if (match === null) return undefined;
  const from = Number(match[1]);
  const to = match[2] === undefined ? from : Number(match[2]);
  if (from < 1 || to < from || to > PORT_MAX) return undefined;
  return match[2] === undefined ? from : [from, to];
}

/** `name=value` pairs separated by commas, or a map in a file. */
export const labels: SettingType<Readonly<Record<string, string>>> = {
  words: 'pairs such as disk=ssd,arch=arm64',
  isList: true,
  read: (raw) => {
    const pairs = typeof raw === 'string' ? raw.split(',').map(toPair) : Object.entries(raw ?? {});
    const isMap = typeof raw === 'string' || (typeof raw === 'object' && !Array.isArray(raw));
    const isFine = pairs.every(([name, value]) => name !== '' && typeof value === 'string');
    return isMap && isFine ? Object.fromEntries(pairs) : undefined;
  },
};

export interface PlacementWeights {
  readonly locality?: number;
  readonly tightFit?: number;
  readonly balance?: number;
  readonly zoneSpread?: number;
}

const WEIGHT_NAMES: Readonly<Record<string, keyof PlacementWeights>> = {
  locality: 'locality',
  'tight-fit': 'tightFit',
  balance: 'balance',
  'zone-spread': 'zoneSpread',
};
const WEIGHT_MAX = 1_000;

/** Weights of placement scores by name; a name that is left out keeps its default. */
export const weights: SettingType<PlacementWeights> = {
  words: `weights from 0 to ${WEIGHT_MAX} such as locality=4,tight-fit=2,balance=1,zone-spread=1`,
  read: (raw) => {
    const isMap = typeof raw === 'string' || (typeof raw === 'object' && !Array.isArray(raw));
    if (!isMap) return undefined;
    const pairs = typeof raw === 'string' ? raw.split(',').map(toPair) : Object.entries(raw ?? {});
    const read = pairs.map(([name, value]) => [WEIGHT_NAMES[name], toWeight(value)] as const);
    const isFine = read.every(([name, value]) => name !== undefined && value !== undefined);
    return isFine ? Object.fromEntries(read) : undefined;
  },
};

function toWeight(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value);
  const weight = isText ? Number(value) : value;
  return typeof weight === 'number' && weight >= 0 && weight <= WEIGHT_MAX ? weight : undefined;
}

function toPair(pair: string): [string, string | undefined] {
  const at = pair.indexOf('=');
  return at < 0 ? [pair.trim(), undefined] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
}

const DAY_MS = 86_400_000;
const MS_MAX = 315_360_000_000;

/**
 * Milliseconds; a number in a file is that. Digits alone on a command line are refused: nobody remembers
 * whether they mean seconds.
 */
export const duration: SettingType<number> = {
  words: 'a duration such as 500ms, 30s, 1h30m or 7d',
  read: (raw) => {
    const ms = durationMs(raw);
    return ms !== null && Number.isInteger(ms) && ms <= MS_MAX ? ms : undefined;
  },
  show: (ms) => {
    if (ms % DAY_MS === 0) return `${ms / DAY_MS}d`;
    return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
  },
};
