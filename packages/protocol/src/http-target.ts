import { classifyAddress, isWithin, parseAddress, parseBlock } from './ip-address.ts';

/** A port, or the first and the last of a range of them. */
export type PortRange = number | readonly [from: number, to: number];

export const HTTP_PORTS: readonly PortRange[] = [443, 80, 8443];
export const HTTP_HEADER_BYTES_MAX = 16_384;
const HOST_LENGTH_MAX = 253;

export interface TargetOptions {
  /** Plain `http:` is refused unless this is set. */
  readonly allowHttp?: boolean;
  /** Opens private and loopback addresses and local names; metadata services stay closed. */
  readonly allowPrivate?: boolean;
  readonly ports?: readonly PortRange[] | 'any';
  /** Addresses, blocks like `10.1.0.0/16`, and host names that are refused whatever else is set. */
  readonly extraBlocked?: readonly string[];
}

export interface TargetRefusal {
  readonly ok: false;
  readonly code: 'target_not_allowed' | 'invalid';
  readonly message: string;
  /** Where in the HTTP work: `url`, or `headers.<name>`. */
  readonly field: string;
}

export type TargetCheck = { readonly ok: true; readonly url: URL } | TargetRefusal;

/**
 * Checks a target without a name server. A name that passes is not yet allowed: its addresses are checked when
 * a connection is opened. Checks the parsed host, never the text: `127.1`, `0x7f000001` and full-width digits
 * are all one address after parsing.
 */
export function checkTarget(text: string, options: TargetOptions = {}): TargetCheck {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return { ok: false, code: 'invalid', message: 'not a URL', field: 'url' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refused('the URL scheme must be http or https');
  }
  if (url.protocol === 'http:' && options.allowHttp !== true) {
    return refused('plain http is not allowed; use https');
  }
  if (url.username !== '' || url.password !== '')
    return refused('a user name or password in the URL is not allowed; use a header');
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const ports = options.ports ?? HTTP_PORTS;
  if (ports !== 'any' && !ports.some((range) => isPortWithin(port, range))) {
    const allowed = ports.map(showPorts).join(', ');
    return refused(`port ${port} is not allowed; the setting http-ports allows ${allowed}`);
  }
  return isHostAllowed(hostOf(url), options) ? { ok: true, url } : refused();
}

function isPortWithin(port: number, range: PortRange): boolean {
  return typeof range === 'number' ? port === range : port >= range[0] && port <= range[1];
}

/** As it is written in the setting. */
export function showPorts(range: PortRange): string {
  return typeof range === 'number' ? String(range) : `${range[0]}-${range[1]}`;
}

/** The host without the brackets of IPv6 and without the one dot that may end a name. */
export function hostOf(url: URL): string {
  const host = url.hostname;
  if (host.startsWith('[')) return host.slice(1, -1);
  return (host.endsWith('.') ? host.slice(0, -1) : host).toLowerCase();
}

export function isAddressAllowed(address: string, options: TargetOptions = {}): boolean {
  const bytes = parseAddress(address);
  if (bytes === null) return false;
  const extra = (options.extraBlocked ?? []).map(parseBlock).filter((block) => block !== null);
  if (isWithin(bytes, extra)) return false;
  const kind = classifyAddress(address);
  return kind === 'public' || (kind === 'private' && options.allowPrivate === true);
}

function isHostAllowed(host: string, options: TargetOptions): boolean {
  if (options.extraBlocked?.some((blocked) => hostName(blocked) === host) === true) return false;
  if (parseAddress(host) !== null) return isAddressAllowed(host, options);
  if (host.length > HOST_LENGTH_MAX || host.includes(':')) return false;
  const labels = host.split('.');
  if (labels.some((label) => label === '' || label.length > 63)) return false;
  if (options.allowPrivate === true) return true;
  return labels.length > 1 && !['localhost', 'local', 'internal'].includes(labels.at(-1) ?? '');
}

function hostName(text: string): string {
  return text.toLowerCase().replace(/\.$/, '');
}

function refused(message = 'the target is not allowed'): TargetRefusal {
  return { ok: false, code: 'target_not_allowed', message, field: 'url' };
}

// Framing and connection belong to the client: a tenant that sets them smuggles requests.
const FORBIDDEN = new Set(
  'host content-length transfer-encoding connection keep-alive upgrade expect te trailer'.split(
    ' ',
  ),
);
const FORBIDDEN_PREFIXES = ['proxy-', 'signalbox-'];
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// Visible ASCII, space, tab and the upper half of Latin-1: what a header can carry as bytes.
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Null where the headers may be sent as they are. */
export function checkHeaders(headers: Readonly<Record<string, string>>): TargetRefusal | null {
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    const field = `headers.${TOKEN.test(name) ? name : '?'}`;
    const bad = (message: string): TargetRefusal => ({
      ok: false,
      code: 'invalid',
      message,
      field,
    });
    if (!TOKEN.test(name)) return bad('invalid header name');
    if (FORBIDDEN.has(lower) || FORBIDDEN_PREFIXES.some((prefix) => lower.startsWith(prefix))) {
      return bad('this header cannot be set');
    }
    if (!VALUE.test(value)) return bad('the header value contains a character that is not allowed');
    bytes += name.length + value.length + 4;
    if (bytes > HTTP_HEADER_BYTES_MAX)
      return bad(`the headers together exceed ${HTTP_HEADER_BYTES_MAX} bytes`);
  }
  return null;
}
