import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** One place in the command line: the commands up to it, and what may follow. */
interface Place {
  /** Like `runs list`; empty for the beginning. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly string[];
}

export function completionFor(shell: Shell, program: Command): string {
  const places = placesOf(program, []);
  switch (shell) {
    case 'bash':
      return bash(places);
    case 'zsh':
      // zsh runs bash's functions; only who calls them differs.
      return `#compdef signalbox\nautoload -U +X bashcompinit && bashcompinit\n${bash(places)}`;
    case 'fish':
      return fish(places);
  }
}

function placesOf(command: Command, path: readonly string[]): Place[] {
  const children = command.commands.filter((child) => child.name() !== 'help');
  const fallback = children.find((child) => child.name() === 'list');
  const options = [command, ...(fallback === undefined ? [] : [fallback])].flatMap((each) =>
    each.options.filter((option) => !option.hidden).map((option) => option.long ?? ''),
  );
  const here: Place = {
    path: path.join(' '),
    commands: children.map((child) => ({ name: child.name(), summary: child.summary() })),
    options: [...options.filter((option) => option !== ''), '--help'],
  };
  return [here, ...children.flatMap((child) => placesOf(child, [...path, child.name()]))];
}

function bash(places: readonly Place[]): string {
  const cases = places.map(({ path, commands, options }) => {
    const words = [...commands.map(({ name }) => name), ...options].join(' ');
    return `    '${path}') words='${words}' ;;`;
  });
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `# bash completion of signalbox
_signalbox() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' word words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "\${path:+$path }$word" in
      ${paths.join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _signalbox signalbox
`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options }) => {
    const words = path === '' ? [] : path.split(' ');
    const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
    const missing =
      commands.length === 0
        ? []
        : [`not __fish_seen_subcommand_from ${commands.map(({ name }) => name).join(' ')}`];
    const when = `'${[...seen, ...missing].join('; and ') || 'true'}'`;
    return [
      ...commands.map(
        ({ name, summary }) =>
          `complete -c signalbox -f -n ${when} -a ${name} -d '${summary.replaceAll("'", "\\'")}'`,
      ),
      ...options.map((option) => `complete -c signalbox -n ${when} -l ${option.slice(2)}`),
    ];
  });
  return `# fish completion of signalbox\n${lines.join('\n')}\n`;
}
