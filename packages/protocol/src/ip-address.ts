import ipaddr from 'ipaddr.js';

const { IPv4, IPv6 } = ipaddr;

/**
 * What an address is to a guard against forged requests. `private` is what a trusted network may
 * open; `reserved` is never a target: metadata services, link-local, and every form that hides an
 * IPv4 address inside an IPv6 one.
 */
export type AddressKind = 'public' | 'private' | 'reserved';

export interface Block {
  readonly bytes: readonly number[];
  readonly bits: number;
}

const PRIVATE = blocks(
  '10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.168.0.0/16 ::1/128 fc00::/7',
);

// Looked at first: some lie inside a private range, and 168.63.129.16 inside a public one.
const METADATA = blocks('169.254.0.0/16 168.63.129.16/32 100.100.100.200/32 fd00:ec2::254/128');

const RESERVED = blocks(
  '0.0.0.0/8 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 ' +
    '203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ' +
    '::/96 ::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 ' +
    '3fff::/20 fe80::/10 fec0::/10 ff00::/8',
);

// The only IPv6 space that is given out: a range that nobody listed yet is not public by default.
const GLOBAL_V6 = blocks('2000::/3');

/** Text that is not an address is `reserved`: what cannot be classified is not dialled. */
export function classifyAddress(address: string): AddressKind {
  const bytes = parseAddress(address);
  if (bytes === null || isWithin(bytes, METADATA)) return 'reserved';
  if (isWithin(bytes, PRIVATE)) return 'private';
  if (isWithin(bytes, RESERVED)) return 'reserved';
  if (bytes.length === 16 && !isWithin(bytes, GLOBAL_V6)) return 'reserved';
  return 'public';
}

export function isWithin(bytes: readonly number[], list: readonly Block[]): boolean {
  const address = ipaddr.fromByteArray([...bytes]);
  return list.some(
    (block) =>
      block.bytes.length === bytes.length &&
      address.match(ipaddr.fromByteArray([...block.bytes]), block.bits),
  );
}

/** `address` or `address/bits`; null where the text is neither. */
export function parseBlock(text: string): Block | null {
  const [address = '', bits, ...rest] = text.split('/');
  const bytes = parseAddress(address);
  if (bytes === null || rest.length > 0) return null;
  if (bits === undefined) return { bytes, bits: bytes.length * 8 };
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > bytes.length * 8) return null;
  return { bytes, bits: Number(bits) };
}

/**
 * Four or sixteen bytes. IPv4, also at the end of IPv6, is accepted only as four decimal numbers: `new URL()` has
 * converted every other form, and programs differ about `010`. A zone index of IPv6 is not part of an address.
 */
export function parseAddress(text: string): number[] | null {
  const last = text.slice(text.lastIndexOf(':') + 1);
  if (last.includes('.') && !IPv4.isValidFourPartDecimal(last)) return null;
  if (!text.includes(':')) return last.includes('.') ? IPv4.parse(text).toByteArray() : null;
  return IPv6.isValid(text) && !text.includes('%') ? IPv6.parse(text).toByteArray() : null;
}

function blocks(text: string): readonly Block[] {
  return text.split(' ').map((part) => {
    const block = parseBlock(part);
    if (block === null) throw new Error(`${part} is not an IP address block`);
    return block;
  });
}
