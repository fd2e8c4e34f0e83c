import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { printJson } from '../print/json.ts';
import { addCommand, type Registry } from './define.ts';

export function versionOf(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

export function addVersion({ app, ending }: Registry, program: Command): void {
  program.version(versionOf(), '-V, --version', 'print the version');
  const command = addCommand(program, 'version', {
    summary: 'print the version of the command',
    configure: (each) => {
      each.option('--json', 'print JSON for programs');
    },
  });
  command.action(() => {
    const version = versionOf();
    const isJson = command.opts()['json'] === true;
    if (isJson) printJson(app.terminal, { version, node: process.versions.node });
    else app.terminal.line(`signalbox ${version} (Node.js ${process.versions.node})`);
    ending.exit = 'ok';
  });
}
