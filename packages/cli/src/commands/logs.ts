import { isEnded, type LogLine, type RunView, type TaskView } from '@signalbox/protocol';
import type { Command } from 'commander';
import { findRun, findTask, taskStart } from '../client/find-run.ts';
import { readWholeRun } from '../client/read-whole-run.ts';
import { printData, printJson } from '../print/json.ts';
import { addClientCommand, type Call, type Registry } from './define.ts';

const PAGE = 1_000;
const FOLLOW_MS = 1_000;

export function addLogs(registry: Registry, program: Command): void {
  addClientCommand(registry, program, {
    usage: 'logs <run>',
    summary: 'show the log lines of a run',
    examples: [
      ['signalbox logs last -f', 'the newest run, until it ends'],
      ['signalbox logs last:main', 'one task of it'],
    ],
    configure: (command) => {
      command
        .option('-f, --follow', 'go on until the run has ended')
        .option('-t, --timestamps', 'begin each line with its time');
    },
    run: printLogs,
  });
}

async function printLogs(call: Call) {
  const { api, args, options } = call;
  const [wanted = ''] = args;
  const task = taskStart(wanted) >= 0 ? await findTask(api, wanted) : null;
  const id = task?.slice(0, task.indexOf(':')) ?? (await findRun(api, wanted));
  if (options['follow'] !== true) {
    const query = task === null ? {} : { task: nameOf(task) };
    await new Reader(call, { id, query }).printNew();
    return undefined;
  }
  // One reader for each task: the lines of a run are in order of its tasks, not of time, so that
  // behind the last line of one task there may be new ones of another.
  const readers = new Map<string, Reader>();
  // A task that had ended when its lines were read has no more; a run may have a hundred thousand.
  const finished = new Set<string>();
  for (;;) {
    const run = await readWholeRun(api, id);
    const active = run.tasks.filter(
      (each) => each.attempts.length > 0 && !finished.has(keyOf(each)),
    );
    for (const each of active.filter((one) => task === null || one.id === task)) {
      const reader = readers.get(each.id) ?? new Reader(call, { id, query: { task: each.name } });
      readers.set(each.id, reader);
      await reader.printNew();
      if (isEnded(each.state)) finished.add(keyOf(each));
    }
    // Its lines were read after it had ended: there are no more.
    if (isEnded(run.state)) return undefined;
    await api.get<RunView>(`/runs/${id}`, { wait: FOLLOW_MS });
  }
}

/** With its attempts: a further one prints further lines. */
function keyOf({ id, attempts }: TaskView): string {
  return `${id}#${attempts.at(-1)?.number ?? 0}`;
}

function nameOf(task: string): string {
  return task.slice(task.indexOf(':') + 1);
}

class Reader {
  readonly #call: Call;
  readonly #where: { readonly id: string; readonly query: Readonly<Record<string, string>> };
  #after: string | undefined;
  /** Lines behind the cursor that were printed already: the last page has no cursor of its own. */
  #printed = 0;

  constructor(call: Call, where: { id: string; query: Record<string, string> }) {
    this.#call = call;
    this.#where = where;
  }

  async printNew(): Promise<void> {
    const { api, terminal, options, json } = this.#call;
    const { id, query } = this.#where;
    for (;;) {
      const page = await api.get<{ items: LogLine[]; next?: string }>(`/runs/${id}/logs`, {
        ...query,
        after: this.#after,
        limit: PAGE,
      });
      for (const line of page.items.slice(this.#printed)) {
        if (json) printJson(terminal, line);
        else printData(terminal, `${textOf(terminal, line, options['timestamps'] === true)}\n`);
      }
      this.#printed = page.next === undefined ? page.items.length : 0;
      if (page.next === undefined) return;
      this.#after = page.next;
      if (page.items.length === 0) return;
    }
  }
}

function textOf(terminal: Call['terminal'], line: LogLine, hasTime: boolean): string {
  const { paint } = terminal;
  const entry = line.stream === 'log' ? parseEntry(line.text) : null;
  const text = entry?.text ?? line.text;
  const isBad = line.stream === 'stderr' || entry?.level === 'error';
  const painted = isBad ? paint.red(text) : entry?.level === 'warn' ? paint.yellow(text) : text;
  const time = hasTime ? `${paint.dim(line.at)} ` : '';
  return `${time}${paint.dim(`${line.task}#${line.attempt}`)}  ${painted}`;
}

/** The message and fields of a log call of a handler, which is sent as JSON. */
function parseEntry(text: string): { level: unknown; text: string } | null {
  try {
    const { level, message, ...rest } = JSON.parse(text) as Record<string, unknown>;
    if (typeof message !== 'string') return null;
    const fields = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    return { level, text: [message, ...fields].join(' ') };
  } catch {
    return null;
  }
}
