import { describe, expect, it } from 'vitest';
import { startNode } from '../start-node.ts';
import { assertPrivateListener } from './listener.ts';

describe('the address that a node listens on', () => {
  it.each(['127.0.0.1', '127.1.2.3', '::1', '0:0:0:0:0:0:0:1', 'localhost', 'LOCALHOST'])(
    'SEC-01 %s needs no TLS',
    (host) => {
      expect(() => assertPrivateListener({ host })).not.toThrow();
    },
  );

  it.each(['0.0.0.0', '::', '10.0.0.5', '203.0.113.1', 'fd00::1', 'node-1.internal', '128.0.0.1'])(
    'SEC-01 %s needs a proxy that terminates TLS',
    (host) => {
      expect(() => assertPrivateListener({ host })).toThrow(
        /^setting host: [^\n]+ set tls-proxy \(--tls-proxy, SIGNALBOX_TLS_PROXY=true\)[^\n]+$/,
      );
      expect(() => assertPrivateListener({ host, tlsProxy: true })).not.toThrow();
    },
  );

  it('SEC-01 is checked before a node opens its store', async () => {
    const options = {
      store: 'mongodb://nowhere',
      rootKey: 'Zk3vQ9xT7mB2wR8nL5cJ1hD6gF4sA0pE',
      http: { host: '0.0.0.0', port: 0 },
    };
    await expect(startNode(options)).rejects.toThrow('set tls-proxy');
  });
});
