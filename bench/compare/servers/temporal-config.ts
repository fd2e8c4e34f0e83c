/** Where the parts of a server are, all on loopback. */
export interface TemporalPlaces {
  /** Addresses of its two databases. */
  readonly storeUrl: string;
  readonly visibilityUrl: string;
  /** Of each service: where it is called, and where its membership talks. */
  readonly ports: Readonly<
    Record<TemporalService, { readonly rpc: number; readonly ring: number }>
  >;
  readonly dynamicConfigFile: string;
}

export const TEMPORAL_SERVICES = ['frontend', 'history', 'matching', 'worker'] as const;
export type TemporalService = (typeof TEMPORAL_SERVICES)[number];

const SHARDS = 4;
const CONNECTIONS = { store: 20, visibility: 5 } as const;
const LIMIT = 1_000_000;

/** The server's configuration; it reads YAML, of which JSON is a part. */
export function temporalConfig(places: TemporalPlaces): object {
  const { ports, storeUrl, visibilityUrl, dynamicConfigFile } = places;
  const service = (name: TemporalService): object => {
    const { rpc, ring } = ports[name];
    return { rpc: { grpcPort: rpc, membershipPort: ring, bindOnLocalHost: true } };
  };
  const frontend = `127.0.0.1:${ports.frontend.rpc}`;
  return {
    // At its end it reports every call that its services still make to each other as an error.
    log: { stdout: false, level: 'fatal' },
    persistence: {
      defaultStore: 'store',
      visibilityStore: 'visibility',
      numHistoryShards: SHARDS,
      datastores: {
        store: { sql: sql(storeUrl, CONNECTIONS.store) },
        visibility: { sql: sql(visibilityUrl, CONNECTIONS.visibility) },
      },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(TEMPORAL_SERVICES.map((name) => [name, service(name)])),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: frontend,
        },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    archival: { history: { state: 'disabled' }, visibility: { state: 'disabled' } },
    namespaceDefaults: {
      archival: { history: { state: 'disabled' }, visibility: { state: 'disabled' } },
    },
    publicClient: { hostPort: frontend },
    dynamicConfigClient: { filepath: dynamicConfigFile, pollInterval: '60s' },
  };
}

function sql(url: string, maxConns: number): object {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    pluginName: 'postgres12_pgx',
    databaseName: pathname.slice(1),
    connectAddr: `${hostname}:${port}`,
    connectProtocol: 'tcp',
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    maxConns,
    maxIdleConns: maxConns,
    maxConnLifetime: '1h',
  };
}

/** No limit of requests is what is measured; one partition of a task queue is enough for one worker. */
export function temporalDynamicConfig(): object {
  const values = {
    'frontend.rps': LIMIT,
    'frontend.namespaceRPS': LIMIT,
    'frontend.persistenceMaxQPS': LIMIT,
    'history.rps': LIMIT,
    'history.persistenceMaxQPS': LIMIT,
    'matching.rps': LIMIT,
    'matching.persistenceMaxQPS': LIMIT,
    'matching.numTaskqueueReadPartitions': 1,
    'matching.numTaskqueueWritePartitions': 1,
    'system.namespaceCacheRefreshInterval': '1s',
  };
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, [{ value }]]));
}
