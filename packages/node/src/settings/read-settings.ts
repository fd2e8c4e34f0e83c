import {
  type Part,
  SETTINGS,
  type Setting,
  type SettingName,
  type SettingValues,
} from './table.ts';

/** A setting that cannot be used. The message is one line for the person who starts the process. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

export interface SettingsSources {
  /** Whose settings count. A worker does not stop because of a port that only a node would use. */
  readonly parts: readonly Part[];
  /** By name of the setting; what was not given is undefined. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What the settings file holds, parsed. */
  readonly file?: { readonly path: string; readonly content: unknown };
}

export interface Settings {
  readonly values: SettingValues;
  /** Whether it was given at all, or is the default. */
  isGiven(name: SettingName): boolean;
  /** Where its value came from, for messages about it. */
  sourceOf(name: SettingName): string;
}

interface Found {
  readonly raw: unknown;
  readonly source: string;
}

/** Flag before environment before file before default. Of the file, every line is checked. */
export function readSettings(sources: SettingsSources): Settings {
  const file = fileEntries(sources);
  const values: Record<string, unknown> = {};
  const origins = new Map<string, string>();
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const setting = SETTINGS[name] as Setting<unknown>;
    const isRead = setting.parts.some((part) => sources.parts.includes(part));
    const found = isRead ? find(name, sources, file) : null;
    values[name] = found === null ? setting.fallback : checked(name, found);
    if (found !== null) origins.set(name, found.source);
  }
  return {
    values: values as unknown as SettingValues,
    isGiven: (name) => origins.has(name),
    sourceOf: (name) => origins.get(name) ?? 'default',
  };
}

function find(
  name: SettingName,
  { flags, environment, file }: SettingsSources,
  entries: ReadonlyMap<string, unknown>,
): Found | null {
  const setting = SETTINGS[name];
  if (flags[name] !== undefined) return { raw: flags[name], source: setting.flag };
  const variable = environment[setting.environment];
  // An empty variable is how a shell script leaves one out.
  if (variable !== undefined && variable !== '') {
    return { raw: variable, source: setting.environment };
  }
  if (!entries.has(name)) return null;
  return { raw: entries.get(name), source: file?.path ?? '' };
}

function checked(name: SettingName, { raw, source }: Found): unknown {
  const setting = SETTINGS[name] as Setting<unknown>;
  const value = setting.type.read(raw);
  if (value !== undefined) return value;
  const shown = setting.secret ? '' : `, not ${JSON.stringify(raw)}`;
  throw new SettingsError(`setting ${name} from ${source} must be ${setting.type.words}${shown}`);
}

function fileEntries({ file }: SettingsSources): ReadonlyMap<string, unknown> {
  if (file === undefined || file.content === null) return new Map();
  if (typeof file.content !== 'object' || Array.isArray(file.content)) {
    throw new SettingsError(
      `${file.path} does not contain settings; write lines such as "port: 7070"`,
    );
  }
  const entries = Object.entries(file.content);
  for (const [name, raw] of entries) {
    if (!Object.hasOwn(SETTINGS, name)) {
      throw new SettingsError(`unknown setting ${JSON.stringify(name)} in ${file.path}`);
    }
    checked(name as SettingName, { raw, source: file.path });
  }
  return new Map(entries);
}
