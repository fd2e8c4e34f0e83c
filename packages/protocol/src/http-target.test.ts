import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkHeaders, checkTarget, hostOf, isAddressAllowed } from './http-target.ts';
import { classifyAddress, parseAddress, parseBlock } from './ip-address.ts';

const open = { allowHttp: true } as const;
const refusal = (url: string, options = {}) => {
  const check = checkTarget(url, { ...open, ...options });
  return check.ok ? `allowed ${check.url.href}` : check.code;
};

describe('targets of HTTP jobs', () => {
  it.each([
    ['h41', 'http://169.254.169.254/latest/meta-data/'],
    ['h43', 'http://127.1/'],
    ['h43', 'http://017700000001/'],
    ['h43', 'http://2130706433/'],
    ['h43', 'http://0x7f000001/'],
    ['h43', 'http://0x7f.1/'],
    ['h43', 'http://①②⑦.⓪.⓪.①/'],
    ['h43', 'http://１２７.0.0.1/'],
    ['h43', 'http://127。0。0。1/'],
    ['h43', 'http://%31%32%37.0.0.1/'],
    ['h43', 'http://0xa9fea9fe/'],
    ['h43', 'http://127.0.0.1./'],
    ['h45', 'http://[64:ff9b::a9fe:a9fe]/'],
    ['h45', 'http://[64:ff9b:1::7f00:1]/'],
    ['h45', 'http://[2002:7f00:1::]/'],
    ['h45', 'http://[::ffff:7f00:1]/'],
    ['h45', 'http://[::ffff:127.0.0.1]/'],
    ['h45', 'http://[::7f00:1]/'],
    ['h45', 'http://[2001:0:7f00:1::]/'],
    ['h45', 'http://[::1]/'],
    ['h45', 'http://[::]/'],
    ['h47', 'http://168.63.129.16/'],
    ['h47', 'http://100.100.100.200/'],
    ['h47', 'http://[fd00:ec2::254]/'],
    ['h47', 'http://169.254.170.2/'],
    ['SEC-09', 'http://10.0.0.1/'],
    ['SEC-09', 'http://0/'],
    ['SEC-09', 'https://localhost/'],
    ['SEC-09', 'https://LOCALHOST./'],
    ['SEC-09', 'https://a.localhost/'],
    ['SEC-09', 'https://printer.local/'],
    ['SEC-09', 'https://metadata.google.internal/'],
    ['SEC-09', 'https://metadata.google.internal./'],
    ['SEC-09', 'https://intranet/'],
    ['SEC-09', 'https://a..example.com/'],
    ['SEC-09', 'https://example.com../'],
    ['SEC-09', `https://${'a.'.repeat(126)}com/`],
    ['SEC-09', 'https://example.com:22/'],
    ['h53', 'https://user:pw@example.com/'],
    ['h53', 'https://user@example.com/'],
    ['h53', 'https://example.com@10.0.0.1/'],
    ['HTP-04', 'file:///etc/passwd'],
    ['HTP-04', 'ftp://example.com/'],
    ['HTP-04', 'gopher://example.com/'],
    ['HTP-04', 'javascript:alert(1)'],
    ['HTP-04', 'data:text/plain,x'],
  ])('%s refuses %s', (_id, url) => {
    expect(refusal(url)).toBe('target_not_allowed');
  });

  it('h53 reads the host where the standard puts it', () => {
    for (const text of ['https://evil.example#@10.0.0.1', 'https://evil.example\\@10.0.0.1']) {
      const check = checkTarget(text);
      expect(check.ok && hostOf(check.url)).toBe('evil.example');
    }
    expect(refusal('https://evil#@10.0.0.1')).toBe('target_not_allowed');
  });

  it('lets public targets pass', () => {
    for (const url of [
      'https://example.com/x?y#z',
      'https://example.com./',
      'https://example.com:8443/',
      'http://93.184.216.34/',
      'https://[2606:4700::1111]/',
      'https://bücher.example/',
    ]) {
      expect(refusal(url)).toBe(`allowed ${new URL(url).href}`);
    }
  });

  it('wants https unless plain http is allowed', () => {
    expect(checkTarget('http://example.com/').ok).toBe(false);
    expect(checkTarget('http://example.com/', open).ok).toBe(true);
  });

  it('says that text is not a URL', () => {
    for (const text of [
      '',
      'example.com',
      'https://',
      'https://exa mple.com/',
      'http://256.1.1.1/',
    ])
      expect(refusal(text)).toBe('invalid');
  });

  it('opens private addresses on a trusted network, but no metadata service and no disguise', () => {
    const trusted = { allowPrivate: true };
    for (const url of ['http://127.0.0.1/', 'http://10.1.2.3/', 'http://[::1]/', 'http://db/'])
      expect(refusal(url, trusted)).toContain('allowed');
    for (const url of [
      'http://169.254.169.254/',
      'http://100.100.100.200/',
      'http://[fd00:ec2::254]/',
      'http://[::ffff:7f00:1]/',
      'http://[64:ff9b::7f00:1]/',
      'http://0.0.0.0/',
    ])
      expect(refusal(url, trusted)).toBe('target_not_allowed');
  });

  it('refuses what the settings add, whatever else is open', () => {
    const extraBlocked = ['93.184.0.0/16', '2606:4700::/32', 'Node.example.com.', '127.0.0.1'];
    for (const url of [
      'http://93.184.216.34/',
      'https://[2606:4700::1]/',
      'https://node.example.com/',
      'http://127.0.0.1/',
    ])
      expect(refusal(url, { extraBlocked, allowPrivate: true })).toBe('target_not_allowed');
    expect(refusal('http://93.185.0.1/', { extraBlocked })).toContain('allowed');
  });

  it('takes the ports that it is told', () => {
    expect(refusal('https://example.com:9000/', { ports: [9000] })).toContain('allowed');
    expect(refusal('https://example.com/', { ports: [9000] })).toBe('target_not_allowed');
    expect(refusal('https://example.com:1/', { ports: 'any' })).toContain('allowed');
    const ports = [443, [8080, 8090]] as const;
    expect(refusal('https://example.com:8085/', { ports })).toContain('allowed');
    expect(refusal('https://example.com:8091/', { ports })).toBe('target_not_allowed');
    expect(checkTarget('https://example.com:8091/', { ports })).toMatchObject({
      message: 'port 8091 is not allowed; the setting http-ports allows 443, 8080-8090',
    });
    // An open port opens no address.
    expect(refusal('https://127.0.0.1:8085/', { ports })).toBe('target_not_allowed');
  });
});

describe('addresses', () => {
  it.each(
    [
      '0.1.2.3 10.255.0.1 100.64.0.1 100.127.255.255 127.255.255.254 169.254.0.1 172.16.0.1',
      '172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255',
      '198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255',
      ':: ::1 ::2 ::ffff:8.8.8.8 64:ff9b::8.8.8.8 64:ff9b:1::1 100::1 2001::1 2001:1ff::1',
      '2001:db8::1 2002:808:808::1 fc00::1 fdff::1 fe80::1 febf::1 fec0::1 ff02::1 4000::1',
    ]
      .join(' ')
      .split(' '),
  )('SEC-09 %s is not public', (address) => {
    expect(classifyAddress(address)).not.toBe('public');
    expect(isAddressAllowed(address)).toBe(false);
  });

  it('knows the edges of the ranges', () => {
    for (const address of '1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 192.0.1.0 198.17.255.255 198.20.0.0 223.255.255.255 168.63.129.15 2001:200::1 2003::1 2606::1'.split(
      ' ',
    ))
      expect([address, classifyAddress(address)]).toEqual([address, 'public']);
  });

  it('does not take what is no address', () => {
    for (const text of [
      '',
      '1.2.3',
      '1.2.3.4.5',
      '01.2.3.4',
      '1.2.3.256',
      'fe80::1%eth0',
      ':::',
      '1::2::3',
      '1:2:3:4:5:6:7:8:9',
      '1:2:3:4:5:6:7::8',
      '12345::',
      '1.2.3.4::',
      '::1.2.3',
      '::01.2.3.4',
      '::0x7f.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '0177.0.0.1',
      '1.2.3.4 ',
      ' ::1',
      '[::1]',
      '1:2:3:4:5:6:1.2.3.4:8',
      'example.com',
    ]) {
      expect([text, parseAddress(text)]).toEqual([text, null]);
      expect(isAddressAllowed(text, { allowPrivate: true })).toBe(false);
    }
  });

  it('reads blocks', () => {
    expect(parseBlock('10.0.0.0/8')).toEqual({ bytes: [10, 0, 0, 0], bits: 8 });
    expect(parseBlock('1.2.3.4')?.bits).toBe(32);
    for (const text of ['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', 'x/8', '::/129'])
      expect(parseBlock(text)).toBeNull();
  });

  it('agrees with Node.js about every text that resembles an address', () => {
    const part = fc.constantFrom(
      '::',
      ':',
      '.',
      '0',
      '1',
      '01',
      '255',
      '256',
      'f',
      'ffff',
      '10000',
      '0x1',
      '1.2.3.4',
      '%0',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 17 }), (parts) => {
        const text = parts.join('');
        expect([text, parseAddress(text) !== null]).toEqual([
          text,
          isIP(text) > 0 && !text.includes('%'),
        ]);
      }),
      { numRuns: 5_000 },
    );
  });

  it('agrees with the URL parser about every IPv6 address', () => {
    const bytes = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 255 })), {
      minLength: 16,
      maxLength: 16,
    });
    fc.assert(
      fc.property(bytes, (sixteen) => {
        const groups = Array.from({ length: 8 }, (_, i) =>
          (((sixteen[2 * i] ?? 0) << 8) | (sixteen[2 * i + 1] ?? 0)).toString(16),
        );
        const url = new URL(`http://[${groups.join(':')}]/`);
        expect(parseAddress(hostOf(url))).toEqual(sixteen);
      }),
    );
  });
});

describe('headers', () => {
  it.each([
    ['x', 'x\r\nX-Admin: 1'],
    ['x', 'a\nb'],
    ['x', 'a\0b'],
    ['x', 'π'],
    ['a b', 'x'],
    ['', 'x'],
    ['x\r\n', 'x'],
    ['Host', 'x'],
    ['Transfer-Encoding', 'chunked'],
    ['CONTENT-LENGTH', '1'],
    ['Connection', 'close'],
    ['Expect', '100-continue'],
    ['Proxy-Authorization', 'x'],
    ['Signalbox-Attempt-Id', 'x'],
  ])('h55 refuses %j: %j', (name, value) => {
    expect(checkHeaders({ [name]: value })?.code).toBe('invalid');
  });

  it('h55 refuses more than 16 KB of headers', () => {
    expect(checkHeaders({ a: 'x'.repeat(16_000) })).toBeNull();
    expect(checkHeaders({ a: 'x'.repeat(16_000), b: 'x'.repeat(400) })?.field).toBe('headers.b');
  });

  it('lets ordinary headers pass, and names the field of a bad one', () => {
    expect(checkHeaders({ Authorization: 'Bearer x', 'X-Name': 'Zoë\tb' })).toBeNull();
    expect(checkHeaders({ Host: 'x' })?.field).toBe('headers.Host');
  });
});
