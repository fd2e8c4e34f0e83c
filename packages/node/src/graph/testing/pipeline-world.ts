import type { JobDefinition, RunView } from '@signalbox/protocol';
import { commandExecutor, type Handler, type HandlerContext, Worker } from '@signalbox/worker';
import { afterEach, beforeEach, expect } from 'vitest';
import { ApiWorld } from '../../api/testing/api-world.ts';
import { connectInProcess } from '../../gateway/in-process.ts';

/** What each handler was given, by the name of its task. */
type Given = Record<string, { input: unknown; parents: unknown }[]>;
/** Answers of handlers, by the name of the task; a thrown error fails it for good. */
type Answers = Record<string, (input: never, context: HandlerContext) => unknown>;

/** A node with an API and a worker, anew for each test of a file, and what such tests do with it. */
export function pipelineWorld() {
  let api: ApiWorld;
  let worker: Worker;
  const given: Given = {};
  const answers: Answers = {};

  const forget = (): void => {
    for (const name of Object.keys(given)) delete given[name];
  };

  beforeEach(async () => {
    forget();
    for (const name of Object.keys(answers)) delete answers[name];
    api = await ApiWorld.start({
      httpTargets: { allowHttp: true, allowPrivate: true, ports: 'any' },
    });
    const work: Handler = (input: never, context) => {
      const told = { input, parents: context.parents };
      given[context.task] = [...(given[context.task] ?? []), told];
      const answer = answers[context.task] ?? answers[context.task.replace(/_chunk_\d+$/, '')];
      return answer === undefined ? context.task : answer(input, context);
    };
    const transport = connectInProcess(api.node.gateway);
    const executors = [await commandExecutor({ allow: true })];
    const total = { slots: 20 };
    worker = new Worker({ name: 'w', transport, handlers: { work }, executors, total });
    await worker.start();
  });
  afterEach(async () => {
    await worker.stop({ graceMs: 0 });
    await api.stop();
  });

  const ask: ApiWorld['ask'] = (path, request) => api.ask(path, request);

  async function define(name: string, definition: JobDefinition): Promise<void> {
    const tasks = definition.tasks?.map((task) => {
      const waits = task.sleep ?? task.approval ?? task.event ?? task.run ?? task.command;
      return waits === undefined ? { handler: 'work', retry: { maxAttempts: 1 }, ...task } : task;
    });
    const made = await ask('/jobs', { body: { name, definition: { ...definition, tasks } } });
    expect(made.status, made.text).toBe(201);
  }

  async function submit(job: string, input: unknown = {}): Promise<string> {
    const answer = await ask('/runs', { body: { job, input } });
    return answer.json<{ id: string }>().id;
  }

  /** Looks until it is so: what is waited for is told by nobody. */
  async function until(id: string, holds: (view: RunView) => boolean): Promise<RunView> {
    const deadline = performance.now() + 20_000;
    for (;;) {
      const view = (await ask(`/runs/${id}`)).json<RunView>();
      if (holds(view)) return view;
      expect(performance.now(), JSON.stringify(view)).toBeLessThan(deadline);
    }
  }

  return {
    given,
    /** Of what handlers were given, nothing is remembered. */
    forget,
    answers,
    ask,
    define,
    submit,
    until,
    context: () => api.node.context,
    ended: async (id: string) => (await ask(`/runs/${id}?wait=20000`)).json<RunView>(),
    post: (path: string, body: object) => ask(path, { body }),
  };
}

export const fail = (): never => {
  throw Object.assign(new Error('validation: it broke'), { class: 'permanent' });
};

export function stateOf(view: RunView, task: string): string | undefined {
  return view.tasks.find(({ name }) => name === task)?.state;
}
