import { HTTP_PORTS, LIMITS, type PortRange } from '@signalbox/protocol';
import {
  addressBlocks,
  choice,
  duration,
  flag,
  integer,
  labels,
  list,
  type PlacementWeights,
  ports,
  type SettingType,
  text,
  weights,
} from './types.ts';

/** Who reads a setting: a node, a worker, or the commands that talk to a node. */
export type Part = 'node' | 'worker' | 'client';

export interface Setting<T> {
  readonly flag: string;
  readonly environment: string;
  readonly parts: readonly Part[];
  readonly type: SettingType<T>;
  /** Null where there is none. */
  readonly fallback: T | null;
  /** Its value is never printed. */
  readonly secret: boolean;
  readonly help: string;
}

type Row<T> = Pick<Setting<T>, 'flag' | 'parts' | 'type' | 'help'> &
  Partial<Pick<Setting<T>, 'environment' | 'secret'>>;

function environmentOf(flagName: string): string {
  return `SIGNALBOX_${flagName.slice(2).toUpperCase().replaceAll('-', '_')}`;
}

function required<T>(row: Row<T>): Setting<T> & { readonly fallback: null } {
  return { environment: environmentOf(row.flag), secret: false, ...row, fallback: null };
}

function withDefault<T>(row: Row<T> & { fallback: T }): Setting<T> & { readonly fallback: T } {
  return { environment: environmentOf(row.flag), secret: false, ...row };
}

const DAY_MS = 86_400_000;
const NODE = ['node'] as const;
const WORKER = ['worker'] as const;
const BOTH = ['node', 'worker'] as const;
const ALL = ['node', 'worker', 'client'] as const;
const CLIENT = ['client'] as const;

/** Every setting there is. The names are the keys of a settings file; docs/settings.md repeats them. */
export const SETTINGS = {
  data: withDefault({
    flag: '--data',
    parts: ALL,
    type: text,
    fallback: '.signalbox',
    help: 'data folder: a node stores its file and large payloads in it; commands and workers find the node of dev by it',
  }),
  store: required({
    flag: '--store',
    parts: NODE,
    type: text,
    help: 'file:PATH or postgres://…; without it a SQLite file in the data folder',
  }),
  host: withDefault({
    flag: '--host',
    parts: NODE,
    type: text,
    fallback: '127.0.0.1',
    help: 'address to listen on',
  }),
  port: withDefault({
    flag: '--port',
    parts: NODE,
    type: integer(0, 65_535),
    fallback: 7070,
    help: 'port to listen on; 0 selects a free port',
  }),
  'tls-proxy': withDefault({
    flag: '--tls-proxy',
    parts: NODE,
    type: flag,
    fallback: false,
    help: 'a proxy in front of the node terminates TLS; required if `host` is not a loopback address, because nodes serve plain HTTP',
  }),
  'trusted-proxies': withDefault<readonly string[]>({
    flag: '--trusted-proxies',
    parts: NODE,
    type: addressBlocks,
    fallback: [],
    help: 'addresses and blocks like 10.1.0.0/16 of proxies whose X-Forwarded-For or Forwarded header names the client; without it both headers are ignored',
  }),
  'streams-per-key': withDefault({
    flag: '--streams-per-key',
    parts: NODE,
    type: integer(1, 10_000),
    fallback: 200,
    help: 'event streams that a key may have open on this node at a time',
  }),
  'streams-per-tenant': withDefault({
    flag: '--streams-per-tenant',
    parts: NODE,
    type: integer(1, 10_000),
    fallback: 1_000,
    help: 'event streams that the keys of a tenant may have open on this node at a time',
  }),
  key: required({
    flag: '--key',
    parts: ALL,
    type: text,
    secret: true,
    help: 'the root key of a node; the key that a worker or command authenticates with',
  }),
  partitions: withDefault({
    flag: '--partitions',
    parts: NODE,
    type: integer(1, 4_096),
    fallback: 16,
    help: 'number of partitions; must be equal on all nodes and cannot change once runs exist',
  }),
  history: withDefault({
    flag: '--history',
    parts: NODE,
    type: duration,
    fallback: 90 * DAY_MS,
    help: 'time after submission when ended runs are deleted',
  }),
  'keep-keys': withDefault({
    flag: '--keep-keys',
    parts: NODE,
    type: duration,
    fallback: 7 * DAY_MS,
    help: 'time after submission when an idempotency key expires; never while its run is live',
  }),
  'keep-blobs': withDefault({
    flag: '--keep-blobs',
    parts: NODE,
    type: duration,
    fallback: 7 * DAY_MS,
    help: 'large payloads stored longer than this before the oldest kept run are deleted; at least 3 days',
  }),
  blobs: required({
    flag: '--blobs',
    parts: NODE,
    type: text,
    help: 'S3 bucket for large payloads, as https://HOST/BUCKET; without it the data folder',
  }),
  's3-region': withDefault({
    flag: '--s3-region',
    parts: NODE,
    type: text,
    fallback: 'us-east-1',
    help: 'region of the bucket',
  }),
  's3-key-id': required({
    flag: '--s3-key-id',
    parts: NODE,
    type: text,
    help: 'access key id for the bucket',
  }),
  's3-secret': required({
    flag: '--s3-secret',
    parts: NODE,
    type: text,
    secret: true,
    help: 'secret access key for the bucket',
  }),
  'metrics-jobs': withDefault({
    flag: '--metrics-jobs',
    parts: NODE,
    type: integer(0, 10_000),
    fallback: 0,
    help: 'number of jobs with their own metric series, the rest count as `other`; 0 disables metrics by job',
  }),
  'placement-weights': withDefault<PlacementWeights>({
    flag: '--placement-weights',
    parts: NODE,
    type: weights,
    fallback: {},
    help: 'weights of the scores that choose a worker, as locality=4,tight-fit=2,balance=1,zone-spread=1, which are the defaults',
  }),
  'log-level': withDefault({
    flag: '--log-level',
    parts: BOTH,
    type: choice(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    fallback: 'info',
    help: 'lowest level that is logged',
  }),
  'log-format': withDefault<'json' | 'text'>({
    flag: '--log-format',
    parts: BOTH,
    type: choice(['json', 'text']),
    fallback: 'json',
    help: 'format of log lines',
  }),
  url: required({
    flag: '--url',
    parts: ['worker', 'client'],
    type: list,
    help: 'addresses of nodes, like http://127.0.0.1:7070,http://10.0.0.5:7070; commands use the first',
  }),
  jobs: required({
    flag: '--jobs',
    parts: WORKER,
    type: list,
    help: 'TypeScript or JavaScript modules that export the jobs to run',
  }),
  name: required({
    flag: '--name',
    parts: BOTH,
    type: text,
    help: 'name of the node or worker; by default derived from the host name',
  }),
  zone: withDefault({
    flag: '--zone',
    parts: WORKER,
    type: text,
    fallback: 'default',
    help: 'zone of the worker',
  }),
  labels: withDefault<Readonly<Record<string, string>>>({
    flag: '--labels',
    parts: WORKER,
    type: labels,
    fallback: {},
    help: 'labels that tasks can require, as disk=ssd,arch=arm64',
  }),
  concurrency: withDefault({
    flag: '--concurrency',
    parts: WORKER,
    type: integer(LIMITS['worker.slots'].min, LIMITS['worker.slots'].max),
    fallback: 10,
    help: 'how many attempts the worker runs at a time',
  }),
  'allow-command': withDefault({
    flag: '--allow-command',
    parts: WORKER,
    type: flag,
    fallback: false,
    help: 'run `command` tasks',
  }),
  'command-programs': withDefault<readonly string[]>({
    flag: '--command-programs',
    parts: WORKER,
    type: list,
    fallback: [],
    help: 'allowed programs, as names or absolute paths; without it all programs',
  }),
  'command-isolation': withDefault<'auto' | 'bubblewrap' | 'namespaces' | 'none'>({
    flag: '--command-isolation',
    parts: WORKER,
    type: choice(['auto', 'bubblewrap', 'namespaces', 'none']),
    fallback: 'auto',
    help: 'isolation of commands; auto uses the first that works of bubblewrap, namespaces and none; otherwise the worker refuses to start without it',
  }),
  'command-network': withDefault({
    flag: '--command-network',
    parts: WORKER,
    type: flag,
    fallback: false,
    help: 'allow network access to isolated commands',
  }),
  'allow-http': withDefault({
    flag: '--allow-http',
    parts: WORKER,
    type: flag,
    fallback: false,
    help: 'run `http` tasks',
  }),
  'http-plain': withDefault({
    flag: '--http-plain',
    parts: BOTH,
    type: flag,
    fallback: false,
    help: 'allow `http` tasks to use plain HTTP',
  }),
  'http-private': withDefault({
    flag: '--http-private',
    parts: BOTH,
    type: flag,
    fallback: false,
    help: 'allow `http` tasks to reach private and loopback addresses',
  }),
  'http-ports': withDefault<readonly PortRange[]>({
    flag: '--http-ports',
    parts: BOTH,
    type: ports,
    fallback: HTTP_PORTS,
    help: 'ports that `http` tasks may use, as 443,8080-8090',
  }),
  'http-blocked': withDefault<readonly string[]>({
    flag: '--http-blocked',
    parts: BOTH,
    type: list,
    fallback: [],
    help: 'hosts, addresses and blocks like 10.1.0.0/16 that `http` tasks never reach',
  }),
  'grace-period': withDefault({
    flag: '--grace-period',
    parts: WORKER,
    type: duration,
    fallback: 30_000,
    help: 'time for running attempts to finish when the worker stops',
  }),
  tenant: required({
    flag: '--tenant',
    parts: CLIENT,
    type: text,
    help: 'tenant of the request, if the key may act for several',
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;

/** Null only where the table has no default. */
export type SettingValue<N extends SettingName> =
  (typeof SETTINGS)[N] extends Setting<infer T>
    ? (typeof SETTINGS)[N]['fallback'] extends null
      ? T | null
      : T
    : never;

export type SettingValues = { readonly [N in SettingName]: SettingValue<N> };

export function settingNamesOf(part: Part): SettingName[] {
  const names = Object.keys(SETTINGS) as SettingName[];
  return names.filter((name) => (SETTINGS[name].parts as readonly Part[]).includes(part));
}

/** The default as a flag would have it; empty where there is none. */
export function defaultText({ type, fallback }: Setting<unknown>): string {
  if (fallback === null) return '';
  if (typeof fallback === 'object')
    return Object.keys(fallback).length === 0 ? '' : String(fallback);
  return type.show?.(fallback) ?? String(fallback);
}
