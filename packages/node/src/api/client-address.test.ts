import { describe, expect, it } from 'vitest';
import { clientAddress } from './client-address.ts';
import { ApiWorld } from './testing/api-world.ts';

const PROXIES = ['10.0.0.0/8', '192.0.2.7', 'fd00::/8'];

function seen(
  remoteAddress: string,
  headers: Record<string, string>,
  trusted: readonly string[] = PROXIES,
): string {
  return clientAddress(trusted)({ headers, socket: { remoteAddress } });
}

describe('the address of a client', () => {
  it('is that of the peer without trusted proxies, and for a peer that is none', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' };
    expect(seen('10.0.0.1', headers, [])).toBe('10.0.0.1');
    expect(seen('198.51.100.1', headers)).toBe('198.51.100.1');
    expect(seen('::ffff:198.51.100.1', headers)).toBe('198.51.100.1');
  });

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['1.1.1.1, 203.0.113.9,10.2.3.4 , 192.0.2.7', '203.0.113.9'],
    ['203.0.113.9:51234', '203.0.113.9'],
    ['2001:DB8::1', '2001:db8::1'],
    ['10.1.1.1, 10.2.2.2', '10.1.1.1'],
    ['1.1.1.1, nonsense', '10.0.0.1'],
    ['1.1.1.1, nonsense, 10.5.5.5', '10.5.5.5'],
    ['', '10.0.0.1'],
  ])('is read from X-Forwarded-For: %j', (header, expected) => {
    expect(seen('10.0.0.1', { 'x-forwarded-for': header })).toBe(expected);
    expect(seen('::ffff:10.0.0.1', { 'x-forwarded-for': header })).toBe(expected);
  });

  it.each([
    ['for=203.0.113.9', '203.0.113.9'],
    ['for=1.1.1.1, For="203.0.113.9:80";proto=https;by=10.0.0.1', '203.0.113.9'],
    ['proto=https;for="[2001:db8::1]:4711"', '2001:db8::1'],
    ['for="evil, for=203.0.113.9, for=10.9.9.9', '203.0.113.9'],
    ['for=unknown', 'fd00::1'],
    ['by=10.0.0.1', 'fd00::1'],
  ])('is read from Forwarded: %j', (header, expected) => {
    expect(seen('fd00::1', { forwarded: header })).toBe(expected);
  });

  it('is that of the proxy if the two headers disagree', () => {
    const headers = (plain: string, forwarded: string) => ({
      'x-forwarded-for': plain,
      forwarded: `for=${forwarded}`,
    });
    expect(seen('10.0.0.1', headers('203.0.113.9', '203.0.113.9'))).toBe('203.0.113.9');
    expect(seen('10.0.0.1', headers('203.0.113.9', '1.1.1.1'))).toBe('10.0.0.1');
  });
});

describe('a node', () => {
  const auditedIp = async (trustedProxies: readonly string[]): Promise<string | undefined> => {
    const world = await ApiWorld.start({ http: { host: '127.0.0.1', port: 0, trustedProxies } });
    try {
      const headers = { 'x-forwarded-for': '203.0.113.9' };
      await world.ask('/jobs', { body: { name: 'nightly', definition: {} }, headers });
      const { items } = (await world.ask('/audit')).json<{ items: { ip: string }[] }>();
      return items[0]?.ip;
    } finally {
      await world.stop();
    }
  };

  it('SEC-03 believes the header of a trusted proxy only', async () => {
    expect(await auditedIp([])).toBe('127.0.0.1');
    expect(await auditedIp(['127.0.0.0/8'])).toBe('203.0.113.9');
  });
});
