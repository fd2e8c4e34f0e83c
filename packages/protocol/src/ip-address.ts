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
  return list.some((block) => block.bytes.length === bytes.length && startsWith(bytes, block));
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

/** Four or sixteen bytes. Takes canonical decimal IPv4 only: `new URL()` has folded every other form. */
export function parseAddress(text: string): number[] | null {
  return text.includes(':') ? parseV6(text) : parseV4(text);
}

function parseV4(text: string): number[] | null {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) return null;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : null;
}

function parseV6(text: string): number[] | null {
  const [first = '', second, ...rest] = text.split('::');
  if (rest.length > 0) return null;
  // An IPv4 part is only ever the end of the whole.
  const head = second !== undefined && first.includes('.') ? null : parseGroups(first);
  if (second === undefined) return head?.length === 16 ? head : null;
  const tail = parseGroups(second);
  if (head === null || tail === null) return null;
  const gap = 16 - head.length - tail.length;
  return gap >= 2 ? [...head, ...new Array<number>(gap).fill(0), ...tail] : null;
}

function parseGroups(text: string): number[] | null {
  if (text === '') return [];
  const groups = text.split(':');
  const bytes: number[] = [];
  for (const [i, group] of groups.entries()) {
    const v4 = i === groups.length - 1 && group.includes('.') ? parseV4(group) : null;
    if (v4 !== null) bytes.push(...v4);
    else if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    } else return null;
  }
  return bytes.length <= 16 ? bytes : null;
}

function startsWith(bytes: readonly number[], block: Block): boolean {
  const whole = block.bits >> 3;
  for (let i = 0; i < whole; i++) if (bytes[i] !== block.bytes[i]) return false;
  const mask = (0xff << (8 - (block.bits & 7))) & 0xff;
  return ((bytes[whole] ?? 0) & mask) === ((block.bytes[whole] ?? 0) & mask);
}

function blocks(text: string): readonly Block[] {
  return text.split(' ').map((part) => {
    const block = parseBlock(part);
    if (block === null) throw new Error(`${part} is not an IP address block`);
    return block;
  });
}
