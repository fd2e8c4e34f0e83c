import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type Handler, PermanentError } from '@signalbox/worker';
import { vi } from 'vitest';
import type { Answer, ApiWorld, Ask } from '../../packages/node/src/api/testing/api-world.ts';

export const HOOK_SECRET = 'Hk2vQ9xT7mB2wR8nL5cJ1hD6gF4sA0pE';

/** Resources of one tenant, created by the root key. Names contain the tenant's name, so that a leak shows. */
export class TenantData {
  readonly tenant: string;
  readonly #world: ApiWorld;
  #count = 0;

  constructor(world: ApiWorld, tenant: string) {
    this.#world = world;
    this.tenant = tenant;
  }

  name(): string {
    return `${this.tenant}-${++this.#count}`;
  }

  async job(definition: object = {}): Promise<string> {
    const name = this.name();
    await this.made('/jobs', { body: { name, definition } });
    return name;
  }

  async paused(): Promise<string> {
    const name = await this.job();
    await this.made(`/jobs/${name}/pause`, { method: 'POST' });
    return name;
  }

  async deleted(): Promise<string> {
    const name = await this.job();
    await this.made(`/jobs/${name}`, { method: 'DELETE' });
    return name;
  }

  /** A run that waits: no worker has its handler. */
  async run(): Promise<string> {
    return this.#submit({ job: await this.job(), input: 1 });
  }

  /** A run with the task `wait`, which waits for an approval or for an event. */
  async waiting(wait: object): Promise<string> {
    return this.#submit({ job: await this.job({ tasks: [{ name: 'wait', ...wait }] }) });
  }

  /** A run whose handler has ended. */
  async ended(handler: 'succeeds' | 'fails'): Promise<string> {
    const id = await this.#submit({ job: await this.job({ tasks: [{ handler }] }) });
    await this.made(`/runs/${id}?wait=20s`);
    return id;
  }

  /** A run whose handler has saved a checkpoint and goes on. */
  async saved(): Promise<string> {
    const id = await this.#submit({ job: await this.job({ tasks: [{ handler: 'saves' }] }) });
    const task = await this.task(id);
    // The worker does not wait for the node to store it.
    await vi.waitFor(() => this.made(`/tasks/${task}/checkpoint`), 20_000);
    return id;
  }

  /** Handlers of the worker that runs the tasks above. */
  get handlers(): Readonly<Record<string, Handler>> {
    return {
      succeeds: () => 1,
      fails: () => {
        throw new PermanentError('no');
      },
      saves: async (_, { checkpoint, signal }) => {
        await checkpoint.save('state');
        await once(signal, 'abort');
      },
    };
  }

  async task(run: string): Promise<string> {
    const shown = await this.made(`/runs/${run}`);
    return shown.json<{ tasks: { id: string }[] }>().tasks[0]?.id as string;
  }

  async schedule(): Promise<string> {
    const name = this.name();
    const definition = { job: await this.job(), cron: '0 2 * * *' };
    await this.made('/schedules', { body: { name, definition } });
    return name;
  }

  async trigger(): Promise<string> {
    const name = this.name();
    const definition = { job: await this.job(), type: 'x', source: '/matrix' };
    await this.made('/triggers', { body: { name, definition } });
    return name;
  }

  async hook(): Promise<string> {
    const name = this.name();
    const hook = { style: 'github', secret: HOOK_SECRET };
    await this.made('/triggers', { body: { name, definition: { job: await this.job(), hook } } });
    return name;
  }

  async calendar(): Promise<string> {
    const name = this.name();
    await this.made(`/calendars/${name}`, { method: 'PUT', body: { blackouts: ['12-25'] } });
    return name;
  }

  async secret(): Promise<string> {
    const name = this.name();
    await this.made(`/secrets/${name}`, { method: 'PUT', body: { value: 'of the matrix' } });
    return name;
  }

  async blob(): Promise<string> {
    const made = await this.made('/blobs', { method: 'PUT', raw: `of ${this.name()}` });
    return made.json<{ name: string }>().name;
  }

  async key(): Promise<string> {
    const made = await this.made('/keys', { body: { role: 'viewer', note: this.name() } });
    return made.json<{ id: string }>().id;
  }

  async defined(): Promise<string> {
    await this.made(`/tenants/${this.tenant}`, { method: 'PUT', body: { weight: 2 } });
    return this.tenant;
  }

  async #submit(body: object): Promise<string> {
    return (await this.made('/runs', { body })).json<{ id: string }>().id;
  }

  /** A request of the root key that must succeed. */
  async made(path: string, ask: Ask = {}): Promise<Answer> {
    const answer = await this.#world.ask(path, { tenant: this.tenant, ...ask });
    if (answer.status < 300) return answer;
    throw new Error(`${path}: ${answer.status} ${answer.text}`);
  }
}

export function hubSignature(body: string): string {
  return `sha256=${createHmac('sha256', HOOK_SECRET).update(body).digest('hex')}`;
}
