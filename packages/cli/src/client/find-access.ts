import { join, resolve } from 'node:path';
import { readSettings, SETTINGS } from '@signalbox/node/settings';
import type { App } from '../app.ts';
import { readDevKey, readDevState } from '../dev/data-folder.ts';
import { UserError } from '../user-error.ts';
import type { Access } from './api.ts';

const DEFAULT_URL = 'http://127.0.0.1:7070';

/**
 * Address and key from flags, then the environment, then what `signalbox dev` left in this folder.
 * The key of that folder goes only to the address of that folder: it must not reach another host.
 */
export function findAccess(app: App, flags: Readonly<Record<string, unknown>>): Access {
  const { environment } = app;
  const { values } = readSettings({ parts: ['client'], flags, environment });
  const data = environment[SETTINGS.data.environment] ?? SETTINGS.data.fallback;
  const folder = resolve(app.cwd, data);
  const dev = readDevState(folder);
  const url = checkedUrl(values.url ?? dev?.url ?? DEFAULT_URL);
  const devKey = dev !== null && sameOrigin(dev.url, url) ? readDevKey(folder) : null;
  const key = values['api-key'] ?? devKey;
  if (key === null) {
    if (values.url === null && dev === null) {
      throw new UserError(
        'unreachable',
        `no node is known here: there is no ${join(data, 'dev.json')} and SIGNALBOX_URL is not set`,
        'start one with: signalbox dev',
      );
    }
    throw new UserError('notAllowed', `no key for ${url}`, 'set SIGNALBOX_KEY, or give --api-key');
  }
  return { url, key, tenant: values.tenant };
}

function sameOrigin(left: string, right: string): boolean {
  return URL.canParse(left) && new URL(left).origin === new URL(right).origin;
}

function checkedUrl(text: string): string {
  const isHttp = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (isHttp) return text;
  throw new UserError('usage', `${JSON.stringify(text)} is no address like ${DEFAULT_URL}`);
}
