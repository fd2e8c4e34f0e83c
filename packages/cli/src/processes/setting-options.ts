import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  defaultText,
  type Part,
  readSettings,
  SETTINGS,
  type Setting,
  type SettingName,
  type Settings,
  SettingsError,
  settingNamesOf,
} from '@signalbox/node/settings';
import { type Command, Option } from 'commander';
import type { App } from '../app.ts';
import { UserError } from '../user-error.ts';

/** What a command has by default in place of what the setting says. */
export type Defaults = Readonly<Partial<Record<SettingName, string>>>;

/** One option for each setting of the parts. No defaults here: they would hide the environment. */
export function addSettingOptions(
  command: Command,
  { parts, defaults = {} }: { parts: readonly Part[]; defaults?: Defaults | undefined },
): void {
  for (const name of namesOf(parts)) {
    const setting = SETTINGS[name] as Setting<unknown>;
    const isFlag = typeof setting.fallback === 'boolean';
    const option = new Option(isFlag ? setting.flag : `${setting.flag} <${name}>`);
    if (!isFlag) option.argParser((value, before) => together(setting, value, before));
    option.description = `${setting.help} (${setting.environment}${defaultOf(setting, defaults[name])})`;
    command.addOption(option);
  }
  command.option('--config <file>', 'settings file, YAML or JSON; flags and environment win');
}

export async function settingsOf(
  app: App,
  command: Command,
  parts: readonly Part[],
): Promise<Settings> {
  const options: Record<string, unknown> = command.opts();
  const flags = Object.fromEntries(namesOf(parts).map((name) => [name, options[camel(name)]]));
  const path = options['config'];
  try {
    const file = typeof path === 'string' ? await readSettingsFile(app, path) : undefined;
    const sources = { parts, flags, environment: app.environment };
    return readSettings(file === undefined ? sources : { ...sources, file });
  } catch (error) {
    if (error instanceof SettingsError) throw new UserError('usage', error.message);
    throw error;
  }
}

/** Of a flag that takes one value, the first of two would be dropped in silence. */
function together({ flag, type }: Setting<unknown>, value: string, before: unknown): string {
  if (before === undefined) return value;
  if (type.isList) return `${before},${value}`;
  throw new UserError('usage', `${flag} is given twice, as ${before} and ${value}`);
}

function namesOf(parts: readonly Part[]): SettingName[] {
  const names = [...new Set(parts.flatMap(settingNamesOf))];
  // A worker in the process of its node needs no address.
  return parts.includes('node') ? names.filter((name) => name !== 'url') : names;
}

function camel(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function defaultOf(setting: Setting<unknown>, own: string | undefined): string {
  const text = own ?? (typeof setting.fallback === 'boolean' ? '' : defaultText(setting));
  return text === '' ? '' : `, default ${text}`;
}

async function readSettingsFile(app: App, path: string) {
  const { parse } = await import('yaml');
  try {
    return { path, content: parse(readFileSync(resolve(app.cwd, path), 'utf8')) as unknown };
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    throw new SettingsError(`cannot read the settings file ${path}: ${why}`);
  }
}
