import { type Command, Option } from 'commander';
import { completionFor, SHELLS, type Shell } from '../completion/scripts.ts';
import { addCommand, type Registry } from './define.ts';

export function addCompletion({ app, ending }: Registry, program: Command): void {
  const command = addCommand(program, 'completion <shell>', {
    summary: 'print a script that completes commands and options in a shell',
    examples: [
      ['signalbox completion bash > /etc/bash_completion.d/signalbox', 'for everybody'],
      ['source <(signalbox completion zsh)', 'in this shell'],
      ['signalbox completion fish > ~/.config/fish/completions/signalbox.fish', 'for you'],
    ],
    configure: (each) => {
      const [argument] = each.registeredArguments;
      argument?.choices([...SHELLS]);
    },
  });
  command.addOption(new Option('--json').hideHelp());
  command.action(() => {
    app.terminal.write(completionFor(command.args[0] as Shell, program));
    ending.exit = 'ok';
  });
}
