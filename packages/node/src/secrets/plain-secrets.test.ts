import { describe, expect, it } from 'vitest';
import { plainSecrets } from './plain-secrets.ts';

const url = 'https://example.com/';
const inHeader = (name: string, value: string) =>
  plainSecrets({ tasks: [{ http: { url, headers: { [name]: value } } }] });
const inVariable = (name: string, value: string) =>
  plainSecrets({ tasks: [{}, { command: { argv: ['true'], env: { [name]: value } } }] });

describe('values that look like secrets', () => {
  it.each([
    ['Authorization', 'abc'],
    ['x-api-key', 'abc'],
    ['COOKIE', 'a=b'],
    ['PRIVATE-TOKEN', 'abc'],
    ['X-Vault-Token', 'abc'],
    ['X-Other', 'Bearer abc'],
    ['X-Other', `ghp_${'a1'.repeat(18)}`],
    ['X-Other', 'eyJhbGciOiJI.eyJzdWIiOiIx.abc'],
  ])('are found in the header %s', (name, value) => {
    expect(inHeader(name, value)).toEqual([
      {
        field: `tasks[0].http.headers.${name}`,
        message: 'looks like a secret and is stored as plain text; use { secret: NAME } instead',
      },
    ]);
  });

  it.each([
    ['GITHUB_TOKEN', 'abc'],
    ['PGPASSWORD', 'abc'],
    ['DB_PASS', 'abc'],
    ['DB_PWD', 'abc'],
    ['CLIENT_CREDENTIALS', 'abc'],
    ['client_secret', 'abc'],
    ['API_KEY_2', 'abc'],
    ['OTHER', 'AKIAABCDEFGHIJKLMNOP'],
    ['OTHER', `sk_live_${'a'.repeat(24)}`],
    ['DATABASE_URL', 'postgres://user:word@db/orders'],
    ['PEM', '-----BEGIN RSA PRIVATE KEY-----'],
    ['TOKEN_URL', 'https://user:word@example.com/'],
  ])('are found in the variable %s', (name, value) => {
    expect(inVariable(name, value).map(({ field }) => field)).toEqual([
      `tasks[1].command.env.${name}`,
    ]);
  });

  it.each([
    ['PGHOST', 'db.example.com'],
    ['KEYBOARD', 'us'],
    ['COMPASS', 'north'],
    ['SSH_KEY_FILE', '/etc/keys/id'],
    ['TOKEN_URL', 'https://example.com/token'],
    ['API_TOKEN', ''],
    ['DATABASE_URL', 'postgres://db/orders'],
  ])('are not suspected in the variable %s', (name, value) => {
    expect(inVariable(name, value)).toEqual([]);
  });

  it('are not suspected in other headers, nor in references', () => {
    expect(inHeader('Content-Type', 'application/json')).toEqual([]);
    const headers = { Authorization: { secret: 'api-token' } };
    expect(plainSecrets({ tasks: [{ http: { url, headers } }] })).toEqual([]);
    expect(plainSecrets({})).toEqual([]);
  });
});
