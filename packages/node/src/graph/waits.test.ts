import { describe, expect, it } from 'vitest';
import { pipelineWorld, stateOf } from './testing/pipeline-world.ts';

const { ask, define, ended, given, post, submit, until } = pipelineWorld();

describe('a wait, over HTTP', () => {
  it('EXT-16 waits for a person; who, when and why are the output', async () => {
    await define('ask', {
      tasks: [
        { name: 'a' },
        { name: 'ok', after: ['a'], approval: {} },
        { name: 'b', after: ['ok'] },
      ],
    });
    const id = await submit('ask');
    await until(id, (view) => stateOf(view, 'a') === 'SUCCEEDED');
    const said = { decision: 'approve', comment: 'fine' };
    expect((await post(`/runs/${id}/tasks/nobody/approval`, said)).status).toBe(404);
    expect((await post(`/runs/${id}/tasks/ok/approval`, said)).status).toBe(200);
    expect((await post(`/runs/${id}/tasks/ok/approval`, said)).status).toBe(409);
    expect((await ended(id)).state).toBe('SUCCEEDED');
    expect(given['b']?.[0]?.parents).toMatchObject({
      ok: { output: { decision: 'approve', comment: 'fine', by: 'root' } },
    });
  });

  it('EXT-16 waits for an event that passes its filter, or is signalled by hand', async () => {
    const event = { type: 'paid', filter: 'event.data.id == input.invoice' };
    await define('evt', { tasks: [{ name: 'e', event }] });
    const [sent, signalled] = [
      await submit('evt', { invoice: 7 }),
      await submit('evt', { invoice: 9 }),
    ];
    for (const id of [8, 7]) {
      const body = { specversion: '1.0', id: `e${id}`, source: 'shop', type: 'paid', data: { id } };
      const headers = { 'content-type': 'application/cloudevents+json' };
      const taken = await ask('/events', { raw: JSON.stringify(body), headers });
      expect(taken.status, taken.text).toBe(200);
    }
    expect(await ended(sent)).toMatchObject({ state: 'SUCCEEDED', output: { data: { id: 7 } } });
    const told = await post(`/runs/${signalled}/tasks/e/event`, { event: { id: 1 } });
    expect(told.status).toBe(200);
    expect(await ended(signalled)).toMatchObject({ state: 'SUCCEEDED', output: { id: 1 } });
  });

  it.each([
    ['stop', {}, 'CANCELLED'],
    ['continue', { onReject: 'continue' }, 'SUCCEEDED'],
  ] as const)('EXT-16 what comes after a rejected approval: %s', async (how, approval, state) => {
    await define(`gate-${how}`, {
      failurePolicy: 'SKIP_FAILED',
      tasks: [
        { name: 'a' },
        { name: 'gate', after: ['a'], approval },
        { name: `behind-${how}`, after: ['gate'] },
      ],
    });
    const id = await submit(`gate-${how}`);
    await until(id, (view) => stateOf(view, 'a') === 'SUCCEEDED');
    const said = { decision: 'reject', comment: 'not today' };
    expect((await post(`/runs/${id}/tasks/gate/approval`, said)).status).toBe(200);
    const view = await ended(id);
    expect(view.state).toBe('PARTIAL');
    expect(stateOf(view, `behind-${how}`)).toBe(state);
    expect(given[`behind-${how}`]?.length ?? 0).toBe(state === 'SUCCEEDED' ? 1 : 0);
  });

  it.each([
    ['stop', {}, 'CANCELLED'],
    ['continue', { onReject: 'continue' }, 'SUCCEEDED'],
  ] as const)('EXT-16 a rejected approval in a nested run: %s', async (how, run, state) => {
    await define(`inner-${how}`, {
      failurePolicy: 'CONTINUE',
      tasks: [{ name: 'a' }, { name: 'gate', after: ['a'], approval: { timeout: '1ms' } }],
    });
    await define(`outer-${how}`, {
      failurePolicy: 'SKIP_FAILED',
      tasks: [
        { name: 'first' },
        { name: 'nested', after: ['first'], run: { job: `inner-${how}`, ...run } },
        { name: `after-${how}`, after: ['nested'] },
      ],
    });
    const view = await ended(await submit(`outer-${how}`));
    expect(view.state).toBe(state === 'SUCCEEDED' ? 'SUCCEEDED' : 'PARTIAL');
    expect(stateOf(view, `after-${how}`)).toBe(state);
    const reason = state === 'SUCCEEDED' ? undefined : 'nested_rejected';
    expect(view.tasks.find(({ name }) => name === 'nested')?.reason).toBe(reason);
  });
});
