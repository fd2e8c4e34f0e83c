import { lookup } from 'node:dns/promises';
import { checkTarget, hostOf, isAddressAllowed, parseAddress } from '@signalbox/protocol/link';
import { HttpFailure } from './http-failure.ts';
import { type HttpExecutorOptions, RESOLVE_MS, type VettedTarget } from './http-options.ts';

const ADDRESSES_MAX = 8;

export interface Vetting {
  readonly options: HttpExecutorOptions;
  readonly signal: AbortSignal;
  refused(refusal: { host: string; address: string | null; why: string }): void;
}

/**
 * Resolves the target and returns the addresses that may be connected to. One forbidden address refuses the
 * whole name: a mixture is an attempt to have one address checked and another one used. Called for every
 * attempt and every hop, so that no result is used twice.
 */
export async function vetTarget(text: string, vetting: Vetting): Promise<VettedTarget> {
  const check = checkTarget(text, vetting.options);
  if (!check.ok) {
    const host = URL.canParse(text) ? new URL(text).hostname : '';
    vetting.refused({ host, address: null, why: check.message });
    throw new HttpFailure(check.code, check.message);
  }
  const { url } = check;
  const host = hostOf(url);
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  if (parseAddress(host) !== null) return { url, host, port, addresses: [host] };
  const addresses = await resolve(host, vetting);
  const bad = addresses.find((address) => !isAddressAllowed(address, vetting.options));
  if (bad !== undefined) {
    vetting.refused({
      host,
      address: bad,
      why: 'the host name resolves to an address that is not public',
    });
    throw new HttpFailure('target_not_allowed', 'the target is not allowed');
  }
  return { url, host, port, addresses: addresses.slice(0, ADDRESSES_MAX) };
}

async function resolve(host: string, vetting: Vetting): Promise<readonly string[]> {
  const ask = vetting.options.resolve ?? systemResolve;
  const late = Promise.withResolvers<never>();
  const stop = (): void => late.reject(new HttpFailure('connect_failed'));
  const timer = setTimeout(stop, vetting.options.resolveMs ?? RESOLVE_MS);
  vetting.signal.addEventListener('abort', stop);
  try {
    const addresses = await Promise.race([ask(host), late.promise]);
    if (addresses.length > 0) return addresses;
  } catch (error) {
    vetting.refused({
      host,
      address: null,
      why: `the host name does not resolve: ${String(error)}`,
    });
    throw new HttpFailure('connect_failed');
  } finally {
    clearTimeout(timer);
    vetting.signal.removeEventListener('abort', stop);
  }
  vetting.refused({ host, address: null, why: 'the host name has no address' });
  throw new HttpFailure('connect_failed');
}

async function systemResolve(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map((answer) => answer.address);
}
