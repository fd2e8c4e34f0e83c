import { createHmac } from 'node:crypto';
import { HOOK_STYLES } from '@signalbox/protocol';
import { expect, it } from 'vitest';
import { isSigned } from './signatures.ts';

const body = Buffer.from('{"a":1}');
const time = '1700000000';
const mac = (key: string, text: string) => createHmac('sha256', key).update(text);

function headersOf(key: string) {
  return {
    'x-hub-signature-256': `sha256=${mac(key, String(body)).digest('hex')}`,
    'stripe-signature': `t=${time},v1=${mac(key, `${time}.${body}`).digest('hex')}`,
    'webhook-id': 'm',
    'webhook-timestamp': time,
    'webhook-signature': `v1,${mac(key, `m.${time}.${body}`).digest('base64')}`,
  };
}

it.each(HOOK_STYLES)('%s never verifies with an empty or short key', (style) => {
  const verify = (secret: string, key: string) =>
    isSigned({
      ...{ style, secret, headers: headersOf(key), body },
      ...{ nowMs: Number(time) * 1_000, toleranceMs: 1_000 },
    });
  expect(verify('a secret of sixteen letters', 'a secret of sixteen letters')).toBe(true);
  for (const secret of ['', 'whsec_', 'whsec_****', 'short']) {
    for (const key of ['', secret]) expect([secret, key, verify(secret, key)]).toContain(false);
  }
});
