import { join, resolve } from 'node:path';
import { readSettings, type Settings } from '@signalbox/node/settings';
import type { App } from '../app.ts';
import { readDevKey, readDevState } from '../data-folder/data-folder.ts';
import type { ExitName } from '../exit-codes.ts';
import { UserError } from '../user-error.ts';
import type { Access } from './api.ts';

const NO_NODE_HINT =
  'start one with: signalbox dev; if it runs with another data folder, add --data FOLDER, else --url and --key';
const DEFAULT_URL = 'http://127.0.0.1:7070';

/**
 * Address and key from flags, then the environment, then what `signalbox dev` left in its data folder.
 * The key of that folder goes only to the address of that folder: it must not reach another host.
 */
export function findAccess(app: App, flags: Readonly<Record<string, unknown>>): Access {
  // An address in the environment is of another node than the folder that was asked for.
  const isByFolder = flags['data'] !== undefined && flags['url'] === undefined;
  const { SIGNALBOX_URL: _url, SIGNALBOX_KEY: _key, ...others } = app.environment;
  const environment = isByFolder ? others : app.environment;
  const { values } = readSettings({ parts: ['client'], flags, environment });
  const dev = devIn(app, values.data);
  const url = checkedUrl(values.url?.[0] ?? dev.url ?? DEFAULT_URL);
  const key = values.key ?? dev.keyFor(url);
  if (key === null) {
    if (values.url === null && dev.url === null) throw noNodeError(dev, 'unreachable');
    throw new UserError('notAllowed', `no key for ${url}`, 'set SIGNALBOX_KEY, or give --key');
  }
  return { url, key, tenant: values.tenant };
}

/** What `signalbox dev` left in its data folder. */
interface Dev {
  readonly state: string;
  readonly url: string | null;
  keyFor(url: string): string | null;
}

function devIn({ cwd }: App, data: string): Dev {
  const folder = resolve(cwd, data);
  const url = readDevState(folder)?.url ?? null;
  return {
    state: join(data, 'dev.json'),
    url,
    keyFor: (asked) => (url !== null && sameOrigin(url, asked) ? readDevKey(folder) : null),
  };
}

function noNodeError({ state }: Dev, exit: ExitName): UserError {
  const why = `there is no ${state} and SIGNALBOX_URL is not set`;
  return new UserError(exit, `no node is known here: ${why}`, NO_NODE_HINT);
}

export interface WorkerAccess {
  readonly urls: readonly [string, ...string[]];
  readonly key: string;
}

/** The same for a worker, which may attach to several nodes and has settings of its own for them. */
export function findWorkerAccess(app: App, { values }: Settings): WorkerAccess {
  const dev = devIn(app, values.data);
  const [first, ...others] = values.url ?? [];
  const url = first ?? dev.url;
  if (url === null) throw noNodeError(dev, 'usage');
  const urls = [checkedUrl(url, /^(http|ws)s?:$/), ...others] as const;
  for (const other of others) checkedUrl(other, /^(http|ws)s?:$/);
  const key = values.key ?? (others.length === 0 ? dev.keyFor(url) : null);
  if (key !== null) return { urls, key };
  throw new UserError('usage', `no key for ${url}`, 'set SIGNALBOX_KEY, or use --key');
}

function sameOrigin(left: string, right: string): boolean {
  return URL.canParse(left) && new URL(left).origin === new URL(right).origin;
}

function checkedUrl(text: string, protocols = /^https?:$/): string {
  if (URL.canParse(text) && protocols.test(new URL(text).protocol)) return text;
  throw new UserError('usage', `${JSON.stringify(text)} is not an address such as ${DEFAULT_URL}`);
}
