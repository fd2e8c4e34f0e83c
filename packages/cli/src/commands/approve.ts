import type { RunView } from '@signalbox/protocol';
import type { Command } from 'commander';
import { findWaiting } from '../client/find-waiting.ts';
import { printJson } from '../print/json.ts';
import { addClientCommand, type Registry } from './define.ts';

/** What a person says to a task that waits for one. */
export function addApprovals(registry: Registry, program: Command): void {
  const decisions = [
    ['approve', 'approve a task that waits for a person', 'approved'],
    ['reject', 'reject a task that waits for a person; the task fails', 'rejected'],
  ] as const;
  for (const [decision, summary, done] of decisions) {
    addClientCommand(registry, program, {
      usage: `${decision} <task-or-run>`,
      summary,
      examples: [
        [`signalbox ${decision} last:release --comment "as agreed"`, 'with a comment'],
        [`signalbox ${decision} last`, 'the one task of the newest run that waits for a person'],
      ],
      configure: (command) => {
        command.option('--comment <text>', 'why; stored with who decided, and when');
      },
      async run({ api, terminal, args, options, json }) {
        const id = await findWaiting(api, args[0] ?? '');
        const at = id.indexOf(':');
        const path = `/runs/${id.slice(0, at)}/tasks/${encodeURIComponent(id.slice(at + 1))}`;
        const { comment } = options;
        const body = { decision, ...(comment === undefined ? {} : { comment }) };
        const run = await api.post<RunView>(`${path}/approval`, body);
        if (json) printJson(terminal, run);
        else terminal.line(`${id.slice(at + 1)} is ${done}`);
      },
    });
  }
}
