import type { Job } from '@signalbox/protocol';
import { type Command, Option } from 'commander';
import { pathOf } from '../client/path-of.ts';
import { graphOf } from '../graph/graph-of.ts';
import { GRAPH_FORMATS, type GraphFormat, isAsciiOnly, printGraph } from '../graph/print-graph.ts';
import { printJson } from '../print/json.ts';
import { addClientCommand, type Registry } from './define.ts';

export function addJobsGraph(registry: Registry, jobs: Command): void {
  addClientCommand(registry, jobs, {
    usage: 'graph <job>',
    summary: 'draw the tasks of a job and what they wait for',
    examples: [
      ['signalbox jobs graph etl', 'on the terminal'],
      ['signalbox jobs graph etl --format svg > etl.svg', 'as a picture'],
      ['signalbox jobs graph etl --format mermaid', 'for a Markdown page'],
    ],
    configure: (command) => {
      command.option('--version <number>', 'as it was in this version');
      graphOptions(command);
    },
    async run({ app, api, terminal, args, options, json }) {
      const [name = ''] = args;
      const { version } = options as { version?: string };
      const at = version === undefined ? '' : `/versions/${encodeURIComponent(version)}`;
      const job = await api.get<Job>(`${pathOf('jobs', name)}${at}`);
      const graph = graphOf(job.definition);
      if (json) printJson(terminal, graph);
      else {
        const title = `The tasks of ${job.name}, version ${job.version}`;
        await printGraph(terminal, graph, { title, ...drawingOf(options, app.environment) });
      }
    },
  });
}

export function graphOptions(command: Command): void {
  command
    .addOption(new Option('--format <format>', 'how to draw it').choices([...GRAPH_FORMATS]))
    .option('--ascii', 'lines of plain characters; so by itself where the locale knows no others');
}

export function drawingOf(
  options: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): { format: GraphFormat; isAscii: boolean } {
  const { format = 'text', ascii } = options as { format?: GraphFormat; ascii?: boolean };
  return { format, isAscii: ascii ?? isAsciiOnly(environment) };
}
