import { HTTP_PORTS, LIMITS, type PortRange } from '@signalbox/protocol';
import {
  choice,
  duration,
  flag,
  integer,
  labels,
  list,
  ports,
  type SettingType,
  text,
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
    help: 'file:PATH or postgres://…; a file in the data folder if absent',
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
    help: 'port to listen on; 0 takes a free one',
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
    help: 'units of ownership; the same on every node, and fixed once there are runs',
  }),
  history: withDefault({
    flag: '--history',
    parts: NODE,
    type: duration,
    fallback: 90 * DAY_MS,
    help: 'ended runs submitted longer ago than this are dropped',
  }),
  'keep-keys': withDefault({
    flag: '--keep-keys',
    parts: NODE,
    type: duration,
    fallback: 7 * DAY_MS,
    help: 'how long an idempotency key is remembered after the submission; never less than its run lives',
  }),
  'keep-blobs': withDefault({
    flag: '--keep-blobs',
    parts: NODE,
    type: duration,
    fallback: 7 * DAY_MS,
    help: 'how long before the oldest run that is kept its large payloads may have been stored; at least 3 days',
  }),
  blobs: required({
    flag: '--blobs',
    parts: NODE,
    type: text,
    help: 'S3 bucket for large payloads, as https://HOST/BUCKET; the data folder if absent',
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
    help: 'how many jobs metrics name, the rest as other; 0 for none',
  }),
  'log-level': withDefault({
    flag: '--log-level',
    parts: BOTH,
    type: choice(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    fallback: 'info',
    help: 'how much is logged',
  }),
  'log-format': withDefault<'json' | 'text'>({
    flag: '--log-format',
    parts: BOTH,
    type: choice(['json', 'text']),
    fallback: 'json',
    help: 'json for machines, text for people',
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
    type: text,
    help: 'TypeScript or JavaScript module that exports the jobs to run',
  }),
  name: required({
    flag: '--name',
    parts: BOTH,
    type: text,
    help: 'name of the node or worker; made from the host name if absent',
  }),
  zone: withDefault({
    flag: '--zone',
    parts: WORKER,
    type: text,
    fallback: 'default',
    help: 'where the worker is',
  }),
  labels: withDefault<Readonly<Record<string, string>>>({
    flag: '--labels',
    parts: WORKER,
    type: labels,
    fallback: {},
    help: 'what tasks may ask of the worker, as disk=ssd,arch=arm64',
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
    help: 'whether the worker runs commands of job definitions',
  }),
  'command-programs': withDefault<readonly string[]>({
    flag: '--command-programs',
    parts: WORKER,
    type: list,
    fallback: [],
    help: 'only these programs, as names or absolute paths; all of them if absent',
  }),
  'command-isolation': withDefault<'auto' | 'bubblewrap' | 'none'>({
    flag: '--command-isolation',
    parts: WORKER,
    type: choice(['auto', 'bubblewrap', 'none']),
    fallback: 'auto',
    help: 'auto takes bubblewrap where it works; bubblewrap does not start without it',
  }),
  'command-network': withDefault({
    flag: '--command-network',
    parts: WORKER,
    type: flag,
    fallback: false,
    help: 'whether commands in bubblewrap reach the network',
  }),
  'allow-http': withDefault({
    flag: '--allow-http',
    parts: WORKER,
    type: flag,
    fallback: false,
    help: 'whether the worker makes HTTP requests of job definitions',
  }),
  'http-plain': withDefault({
    flag: '--http-plain',
    parts: BOTH,
    type: flag,
    fallback: false,
    help: 'whether HTTP requests of job definitions may go without TLS',
  }),
  'http-private': withDefault({
    flag: '--http-private',
    parts: BOTH,
    type: flag,
    fallback: false,
    help: 'whether they may reach private and loopback addresses',
  }),
  'http-ports': withDefault<readonly PortRange[]>({
    flag: '--http-ports',
    parts: BOTH,
    type: ports,
    fallback: HTTP_PORTS,
    help: 'ports that they may go to, as 443,8080-8090',
  }),
  'http-blocked': withDefault<readonly string[]>({
    flag: '--http-blocked',
    parts: BOTH,
    type: list,
    fallback: [],
    help: 'hosts, addresses and blocks like 10.1.0.0/16 that they never reach',
  }),
  'grace-period': withDefault({
    flag: '--grace-period',
    parts: WORKER,
    type: duration,
    fallback: 30_000,
    help: 'how long attempts may go on when the worker is told to stop',
  }),
  tenant: required({
    flag: '--tenant',
    parts: CLIENT,
    type: text,
    help: 'tenant to act on, where the key may choose',
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
