// Loaded before every test file: each response of each node in the process of a test must be declared in the
// API document, or the test that asked for it fails.
import { subscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { afterAll, afterEach, expect } from 'vitest';
import { API_BASE } from '../base.ts';

interface Watch {
  violations: string[];
}
const CHANNEL = 'fastify.initialization';

/** Test files that share a process run this file once each, and the channel must be subscribed to once. */
const shared = globalThis as { signalboxContract?: Watch };
if (shared.signalboxContract === undefined) {
  const watch: Watch = { violations: [] };
  shared.signalboxContract = watch;
  subscribe(CHANNEL, (message) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onSend', async (request, reply, payload) => {
      watch.violations.push(...(await violationsIn(request, reply, payload)));
      return payload;
    });
  });
}
const watch = shared.signalboxContract;

async function violationsIn(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<readonly string[]> {
  const route = request.routeOptions.url;
  if (route?.startsWith(`${API_BASE}/`) !== true) return [];
  // Here, because most tests start no server and must not load the API.
  const { violationsOf } = await import('./contract.ts');
  return violationsOf({
    method: request.method,
    url: route.slice(API_BASE.length),
    status: reply.statusCode,
    headers: reply.getHeaders(),
    body: typeof payload === 'string' ? payload : null,
  });
}

function expectNone(): void {
  const found = watch.violations;
  watch.violations = [];
  expect(found, 'responses that the API document does not declare').toEqual([]);
}

afterEach(expectNone);
afterAll(expectNone);
