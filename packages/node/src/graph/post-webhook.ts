import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { checkTarget, hostOf, isAddressAllowed, type TargetOptions } from '@signalbox/protocol';

const TIMEOUT_MS = 10_000;

/** How the receiver answered; `final`: it will never take it. */
export type Posted = { readonly ok: true } | { readonly ok: false; readonly why: string };

/**
 * Posts a webhook. The name is looked up once, and only these addresses are dialled. One private address among
 * public ones refuses the name, as on workers: mixed answers are made to pass the check with one address and
 * connect to another. Redirects are not followed.
 */
export async function postWebhook(params: {
  url: string;
  headers: Record<string, string>;
  body: string;
  targets: TargetOptions;
  timeoutMs?: number;
  /** Omitted: the resolver of the system. */
  resolve?: (host: string) => Promise<readonly LookupAddress[]>;
}): Promise<Posted> {
  const { targets, headers, body } = params;
  const target = checkTarget(params.url, targets);
  if (!target.ok) return { ok: false, why: target.message };
  const { url } = target;
  const resolve = params.resolve ?? ((host: string) => lookup(host, { all: true }));
  const answers = await resolve(hostOf(url));
  const [first] = answers;
  const isAllowed = answers.every(({ address }) => isAddressAllowed(address, targets));
  if (first === undefined || !isAllowed) return { ok: false, why: 'the target is not allowed' };
  const vetted: LookupFunction = (_host, options, callback) => {
    if (options.all) callback(null, [...answers]);
    else callback(null, first.address, first.family);
  };
  return new Promise((resolve) => {
    const request = url.protocol === 'http:' ? requestHttp : requestHttps;
    const length = Buffer.byteLength(body);
    const sent = request(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'content-length': length, 'user-agent': 'signalbox' },
        lookup: vetted,
        // For all of it: a receiver that sends a byte now and then keeps an idle timer from ever ending.
        signal: AbortSignal.timeout(params.timeoutMs ?? TIMEOUT_MS),
        agent: false,
      },
      (response) => {
        // Nobody reads the body, and one without an end would hold the connection.
        response.destroy();
        const status = response.statusCode ?? 0;
        resolve(
          status >= 200 && status < 300
            ? { ok: true }
            : { ok: false, why: `the endpoint returned ${status}` },
        );
      },
    );
    sent.on('error', (error) => resolve({ ok: false, why: error.message }));
    sent.end(body);
  });
}
