import { isEnded, type Job, type JobDefinition, type RunView } from '@signalbox/protocol';
import type { Command } from 'commander';
import { findRun } from '../client/find-run.ts';
import { pathOf } from '../client/path-of.ts';
import { readWholeRun } from '../client/read-whole-run.ts';
import { RunChanges } from '../client/run-changes.ts';
import { isAsciiOnly, printGraph } from '../graph/print-graph.ts';
import { runGraph } from '../graph/run-graph.ts';
import { printJson } from '../print/json.ts';
import { printHead, printRun } from '../print/run-view.ts';
import { safeText } from '../print/safe-text.ts';
import { taskRows } from '../print/task-rows.ts';
import type { Terminal } from '../print/terminal.ts';
import { addClientCommand, type Call, type Registry } from './define.ts';
import { drawingOf, graphOptions } from './jobs-graph.ts';
import { printOutput } from './wait-for-end.ts';

/** Often enough to look alive, seldom enough to read. */
const REDRAW_MS = 200;
/** Times go on although nothing happens. */
const LOOK_MS = 1_000;

export function addRunsShow(registry: Registry, runs: Command): void {
  addClientCommand(registry, runs, {
    usage: 'show <run>',
    summary: 'show a run with its tasks, when they ran, and its output',
    examples: [
      ['signalbox runs show last --watch', 'the newest, until it has ended'],
      ['signalbox runs show last --graph', 'its graph, with the states'],
      ['signalbox runs show last --graph --format svg > run.svg', 'the same as a picture'],
    ],
    configure: (command) => {
      command
        .option('-w, --watch', 'go on until it has ended')
        .option('--graph', 'the graph with the states of its tasks')
        .option('--timeline', 'bars over time, also where nobody looks at a terminal');
      graphOptions(command);
    },
    async run(call) {
      const { api, args, options } = call;
      const id = await findRun(api, args[0] ?? '');
      if (options['watch'] === true) return watch(call, id);
      await show(call, call.terminal, await readWholeRun(api, id));
      return undefined;
    },
  });
}

/** Whether a task may wait for something that only the definition names. */
function waits({ state, tasks }: RunView): boolean {
  return !isEnded(state) && tasks.some((task) => task.state === 'PENDING');
}

async function definitionOf({ api }: Call, run: RunView): Promise<JobDefinition> {
  const path = `${pathOf('jobs', run.job)}/versions/${run.jobVersion}`;
  return (await api.get<Job>(path)).definition;
}

/** An output that is no JSON, as most commands have, is not in the view. */
async function showBytes({ api }: Call, terminal: Terminal, run: RunView): Promise<void> {
  if (run.output !== undefined || run.state !== 'SUCCEEDED') return;
  const bytes = await api.bytes(`/runs/${run.id}/output`);
  if (bytes.length === 0) return;
  terminal.line('');
  terminal.line(terminal.paint.dim('output:'));
  printOutput(terminal, new TextDecoder().decode(bytes));
}

async function show(call: Call, terminal: Terminal, run: RunView): Promise<void> {
  const { app, options, json } = call;
  if (json) return printJson(terminal, run);
  const isGraph = options['graph'] === true;
  const definition = isGraph || waits(run) ? await definitionOf(call, run) : undefined;
  if (definition === undefined || !isGraph) {
    const hasTimeline = terminal.isTty || options['timeline'] === true;
    const isAscii = options['ascii'] === true || isAsciiOnly(app.environment);
    printRun(terminal, run, { isAscii, hasTimeline, definition });
    return showBytes(call, terminal, run);
  }
  const drawing = drawingOf(options, app.environment);
  const graph = runGraph(definition, taskRows(run.tasks));
  if (drawing.format === 'text') {
    printHead(terminal, run);
    terminal.line('');
  }
  await printGraph(terminal, graph, { title: `The run ${run.id} of ${run.job}`, ...drawing });
}

/** On a terminal the view is redrawn; elsewhere each change of a task is a line. */
async function watch(call: Call, id: string): Promise<'ok' | 'no'> {
  const { api, terminal, json } = call;
  const changes = new RunChanges(api, id);
  const states = new Map<string, string>();
  try {
    for (;;) {
      const run = await readWholeRun(api, id);
      if (json) printJson(terminal, run);
      else if (terminal.isTty) await redraw(call, run);
      else printChanges(terminal, run, states);
      if (isEnded(run.state)) {
        if (!json && !terminal.isTty) await show(call, terminal, run);
        return run.state === 'SUCCEEDED' ? 'ok' : 'no';
      }
      await changes.next(LOOK_MS);
      await new Promise((resolve) => setTimeout(resolve, REDRAW_MS));
    }
  } finally {
    changes.stop();
  }
}

/** The whole picture at once over the old one; what does not fit the screen is left out. */
async function redraw(call: Call, run: RunView): Promise<void> {
  const { terminal } = call;
  let text = '';
  const page: Terminal = {
    ...terminal,
    line: (line) => {
      text += `${line}\n`;
    },
    write: (more) => {
      text += more;
    },
    raw: (more) => {
      text += more;
    },
  };
  await show(call, page, run);
  const lines = text.split('\n').slice(0, -1);
  const isWhole = isEnded(run.state) || lines.length < terminal.rows;
  const shown = isWhole ? lines : [...lines.slice(0, terminal.rows - 2), '…'];
  terminal.raw(`\u001b[H\u001b[2J${safeText(shown.join('\n'))}\n`);
}

function printChanges(terminal: Terminal, run: RunView, states: Map<string, string>): void {
  for (const { name, state, tally } of taskRows(run.tasks)) {
    const status = tally === null ? state : `${state}\t${tally}`;
    if (states.get(name) !== status) terminal.line(`${name}\t${status}`);
    states.set(name, status);
  }
}
