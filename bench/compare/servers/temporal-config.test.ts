import { expect, it } from 'vitest';
import { temporalConfig, temporalDynamicConfig } from './temporal-config.ts';

const port = (rpc: number) => ({ rpc, ring: rpc + 100 });

it('puts each service at its ports and both databases where their addresses say', () => {
  const config = temporalConfig({
    storeUrl: 'postgres://user:p%40ss@127.0.0.1:5544/store',
    visibilityUrl: 'postgres://user:p%40ss@127.0.0.1:5544/seen',
    ports: { frontend: port(1), history: port(2), matching: port(3), worker: port(4) },
    dynamicConfigFile: '/tmp/dynamic.yaml',
  });
  expect(config).toMatchObject({
    persistence: {
      defaultStore: 'store',
      visibilityStore: 'visibility',
      datastores: {
        store: { sql: { databaseName: 'store', connectAddr: '127.0.0.1:5544', password: 'p@ss' } },
        visibility: { sql: { databaseName: 'seen' } },
      },
    },
    services: {
      frontend: { rpc: { grpcPort: 1, membershipPort: 101, bindOnLocalHost: true } },
      worker: { rpc: { grpcPort: 4, membershipPort: 104, bindOnLocalHost: true } },
    },
    publicClient: { hostPort: '127.0.0.1:1' },
  });
});

it('gives every dynamic setting as a list of one value without constraints', () => {
  expect(temporalDynamicConfig()).toMatchObject({
    'matching.numTaskqueueReadPartitions': [{ value: 1 }],
  });
});
