import { lookup } from 'node:dns/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { checkTarget, hostOf, isAddressAllowed, type TargetOptions } from '@signalbox/protocol';

const TIMEOUT_MS = 10_000;

/** How the receiver answered; `final`: it will never take it. */
export type Posted = { readonly ok: true } | { readonly ok: false; readonly why: string };

/**
 * Posts a webhook. Names are looked up once and only an allowed address is dialled: a name that
 * points into the inner network must not make the node knock there. Redirects are not followed.
 */
export async function postWebhook(params: {
  url: string;
  headers: Record<string, string>;
  body: string;
  targets: TargetOptions;
  timeoutMs?: number;
}): Promise<Posted> {
  const { targets, headers, body } = params;
  const target = checkTarget(params.url, targets);
  if (!target.ok) return { ok: false, why: target.message };
  const { url } = target;
  const answers = await lookup(hostOf(url), { all: true });
  const allowed = answers.filter(({ address }) => isAddressAllowed(address, targets));
  const [first] = allowed;
  if (first === undefined) return { ok: false, why: 'the target is not allowed' };
  const vetted: LookupFunction = (_host, options, callback) => {
    if (options.all) callback(null, allowed);
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
