import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv6 } from 'node:net';
import { parseAddress, parseBlock } from '@signalbox/protocol';

type Request = Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

export type ClientAddress = (request: Request) => string;

/** The address of the peer: headers are what a client claims. */
export const peerAddress: ClientAddress = ({ socket }) => {
  const address = socket.remoteAddress ?? '';
  return withoutPrefix(address) ?? address;
};

/**
 * The address of the client behind proxies. A trusted proxy appends the address of its peer, so the list is
 * read from its end, up to the first address that is not a trusted proxy: everything before it is a claim.
 */
export function clientAddress(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0) return peerAddress;
  const trusted = blockList(trustedProxies);
  const isTrusted = (address: string): boolean =>
    parseAddress(address) !== null && trusted.check(address, familyOf(address));

  return (request) => {
    const peer = peerAddress(request);
    if (!isTrusted(peer)) return peer;
    const behind = (hops: readonly string[]): string => {
      let address = peer;
      for (const hop of hops.toReversed()) {
        const next = addressOf(hop);
        if (next === null) return address;
        address = next;
        if (!isTrusted(address)) break;
      }
      return address;
    };
    const { 'x-forwarded-for': plain, forwarded } = request.headers;
    const found = new Set<string>();
    if (plain !== undefined) found.add(behind(String(plain).split(',')));
    if (forwarded !== undefined) found.add(behind(forwarded.split(',').map(forOf)));
    // A proxy that sets one header may pass the other one on as the client sent it.
    const [address = peer] = found;
    return found.size === 1 ? address : peer;
  };
}

function blockList(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of blocks) {
    const block = parseBlock(text);
    if (block === null) throw new Error(`${text} is not an IP address or address block`);
    const [address = ''] = text.split('/');
    list.addSubnet(address, block.bits, familyOf(address));
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/** `for=` of one element of `Forwarded`. */
function forOf(element: string): string {
  const match = /(?:^|;)\s*for\s*=\s*"?([^";]*)"?\s*(?:;|$)/i.exec(element);
  return match?.[1] ?? '';
}

/** With or without a port; null for `unknown` and everything else that is not an address. */
function addressOf(text: string): string | null {
  const hop = text.trim();
  const match = /^\[([^\]]+)\](?::\d+)?$/.exec(hop) ?? /^([\d.]+):\d+$/.exec(hop);
  return withoutPrefix(match?.[1] ?? hop);
}

/** An IPv4 address that arrived on an IPv6 socket is the same address. */
function withoutPrefix(text: string): string | null {
  const bytes = parseAddress(text);
  if (bytes?.length !== 16) return bytes === null ? null : text;
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff;
  return isMapped && bytes[11] === 0xff ? bytes.slice(12).join('.') : text.toLowerCase();
}
