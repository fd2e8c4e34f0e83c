import { resolve } from 'node:path';
import { isShared, type NodeOptions, type RunningNode, startNode } from '@signalbox/node';
import type { Logger } from '@signalbox/node/log';
import { assertPrivateListener, assertStrongKey, type Settings } from '@signalbox/node/settings';
import type { App } from '../app.ts';
import { exposedMode, makeFolder } from '../data-folder/data-folder.ts';
import { UserError } from '../user-error.ts';
import { whenStoreIsUp } from './wait-for-store.ts';

export interface OpenNodeParams {
  readonly app: App;
  readonly settings: Settings;
  readonly key: string;
  readonly port: number;
  readonly log: Logger;
  /** Wait for a database that cannot be used yet; else that is an error. */
  readonly waits?: true;
}

/** Starts a node by its settings; what stands in its way is one line for the person. */
export async function openNode(params: OpenNodeParams): Promise<RunningNode> {
  const { app, settings, key, port, log } = params;
  const { values } = settings;
  requireSafety(settings, key);
  const folder = resolve(app.cwd, values.data);
  const store = values.store ?? `file:${resolve(folder, 'signalbox.sqlite')}`;
  const s3 = bucketOf(settings);
  // A node with its data elsewhere needs none, and may run where nothing can be written.
  const usesFolder = values.store === null || (s3 === null && settings.isGiven('data'));
  if (usesFolder) prepareFolder(folder, log);
  const options: NodeOptions = {
    store,
    dataDir: folder,
    http: {
      host: values.host,
      port,
      tlsProxy: values['tls-proxy'],
      trustedProxies: values['trusted-proxies'],
      streams: { perKey: values['streams-per-key'], perTenant: values['streams-per-tenant'] },
    },
    rootKey: key,
    partitions: values.partitions,
    log,
    retention: {
      historyMs: values.history,
      keysMs: values['keep-keys'],
      blobsMs: values['keep-blobs'],
    },
    metricsJobs: values['metrics-jobs'],
    placementWeights: values['placement-weights'],
    httpTargets: {
      allowHttp: values['http-plain'],
      allowPrivate: values['http-private'],
      ports: values['http-ports'],
      extraBlocked: values['http-blocked'],
    },
    ...(values.name === null ? {} : { name: values.name }),
    ...(s3 === null ? {} : { blobs: s3 }),
  };
  try {
    // What is wrong with a file is wrong until a person mends it.
    if (params.waits !== true || !isShared(store)) return await startNode(options);
    return await whenStoreIsUp(
      () => startNode(options),
      ({ message }, retryInMs) => {
        const fields = { store: shownStore(store), reason: message, retryInMs };
        log.warn({ event: 'store.unavailable', ...fields }, 'store unavailable, retrying');
      },
    );
  } catch (error) {
    throw startError(error, { store, host: values.host, port });
  }
}

function prepareFolder(folder: string, log: Logger): void {
  makeFolder(folder);
  const mode = exposedMode(folder);
  if (mode === null) return;
  const fields = { folder, mode, fix: `chmod 700 ${folder}` };
  log.warn({ event: 'data.exposed', ...fields }, 'other users can list the data folder');
}

/** Called before anything is created: a key that can be guessed, or plain HTTP on a network, is refused. */
export function requireSafety(settings: Settings, key: string): void {
  orUsageError(() => assertStrongKey(key));
  requirePrivateListener(settings);
}

export function requirePrivateListener({ values }: Settings): void {
  const { host, 'tls-proxy': tlsProxy } = values;
  orUsageError(() => assertPrivateListener({ host, tlsProxy }));
}

function orUsageError(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw new UserError('usage', messageOf(error));
  }
}

function bucketOf({ values }: Settings): NonNullable<NodeOptions['blobs']> | null {
  const { blobs: url, 's3-key-id': accessKeyId, 's3-secret': secretAccessKey } = values;
  if (url === null) return null;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UserError('usage', 'setting blobs must be an address such as https://HOST/BUCKET');
  }
  if (accessKeyId === null || secretAccessKey === null) {
    throw new UserError('usage', 'setting blobs needs s3-key-id and s3-secret as well');
  }
  return { url, region: values['s3-region'], accessKeyId, secretAccessKey };
}

function startError(
  error: unknown,
  { store, host, port }: { store: string; host: string; port: number },
): unknown {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
  if (code === 'EADDRINUSE') {
    const hint = 'use another port with --port, or --port 0 for a free port';
    return new UserError('conflict', `port ${port} of ${host} is in use`, hint);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND') {
    return new UserError('usage', `cannot listen on ${host}, port ${port}: ${messageOf(error)}`);
  }
  const kind = typeof error === 'object' && error !== null && 'kind' in error ? error.kind : '';
  if (kind === 'unavailable') {
    return new UserError(
      'unreachable',
      `cannot use the store ${shownStore(store)}: ${messageOf(error)}`,
    );
  }
  if (kind !== '') {
    return new UserError('usage', `cannot use the store ${shownStore(store)}: ${messageOf(error)}`);
  }
  return error;
}

/** The address of a database holds its password. */
function shownStore(store: string): string {
  if (!URL.canParse(store) || store.startsWith('file:')) return store;
  const url = new URL(store);
  return `${url.protocol}//${url.host}${url.pathname}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
