/** The part of a command that a completion script contains. */
export interface CompletionWords {
  readonly name: string;
  readonly summary: string;
  /** Accepted values of the command's arguments, if these come from a fixed list. */
  readonly values: readonly string[];
  /** True when an argument is a file or a folder. */
  readonly takesFile: boolean;
  readonly options: readonly {
    /** `--status`, then the short form and the negation if there are. */
    readonly names: readonly string[];
    readonly summary: string;
    readonly takes: 'nothing' | 'text' | 'file';
    readonly values: readonly string[];
  }[];
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A shell script that completes commands, options, and values that come from fixed lists. */
export function renderCompletion(shell: Shell, commands: readonly CompletionWords[]): string {
  if (shell === 'fish') return renderFish(commands);
  // With `bashcompinit`, zsh runs the completion script for bash.
  return (shell === 'zsh' ? ZSH_PRELUDE : '') + renderBash(commands);
}

const ZSH_PRELUDE = `autoload -Uz compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
`;

function renderBash(commands: readonly CompletionWords[]): string {
  const firstWords = [...new Set(commands.map(({ name }) => name.split(' ')[0]!)), 'help'];
  const groups = new Map<string, string[]>();
  for (const { name } of commands) {
    const [first, second] = name.split(' ');
    if (second !== undefined) groups.set(first!, [...(groups.get(first!) ?? []), second]);
  }
  const options = mergedOptions(commands);
  const taking = options.filter(({ takes }) => takes !== 'nothing');
  const line = (patterns: readonly string[], act: string) => `    ${patterns.join('|')}) ${act} ;;\n`;
  const lists = options
    .filter(({ values }) => values.length > 0)
    .map(({ names, values }) => line(names, `words="${values.join(' ')}"`));
  const files = taking.filter(({ takes }) => takes === 'file').flatMap(({ names }) => names);
  const cases = [
    line(['""'], `words="${firstWords.join(' ')}"`),
    ...[...groups].map(([first, seconds]) => line([first], `words="${seconds.join(' ')}"`)),
    ...commands.map(({ name, values, takesFile, options: own }) => {
      const names = own.flatMap((option) => option.names.filter((one) => one.startsWith('--'))).join(' ');
      const plain = takesFile ? '[[ $current == -* ]] || return' : `words="${values.join(' ')}"`;
      return line(
        name.includes(' ') ? [`"${name}"`] : [`"${name}"`, `"${name} "*`],
        `options="${names}"; ${plain}`,
      );
    }),
  ];
  // Returning without COMPREPLY lets the shell complete a file.
  return `_flagsvc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="" word words="" options="" skip=""
  COMPREPLY=()
  # Bash splits --option=value at the equals sign.
  if [ "$current" = "=" ]; then current=""; elif [ "$previous" = "=" ]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
    if [ -n "$skip" ]; then [ "$word" = "=" ] || skip=""; continue; fi
    case "$word" in
      ${taking.flatMap(({ names }) => names).join('|')}) skip=1 ;;
      -*|=) ;;
      *) case "$command" in
        "") [ "$word" = help ] || command="$word" ;;
        *" "*) ;;
        *) command="$command $word" ;;
      esac ;;
    esac
  done
  case "\${skip:+$previous}" in
${lists.join('')}${line(files, 'return')}    "") case "$command" in
${cases.join('')}    esac ;;
  esac
  case "$current" in -*) words="$options" ;; *) words="\${words:-$options}" ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || compopt +o default 2>/dev/null
  return 0
}
complete -o default -F _flagsvc flagsvc
`;
}

/** Each option once, with its values from all commands. */
function mergedOptions(commands: readonly CompletionWords[]): readonly CompletionWords['options'][number][] {
  const merged = new Map<string, CompletionWords['options'][number]>();
  for (const option of commands.flatMap((one) => one.options)) {
    const values = merged.get(option.names[0]!)?.values ?? [];
    merged.set(option.names[0]!, { ...option, values: [...new Set([...values, ...option.values])] });
  }
  return [...merged.values()];
}

const FISH_VALUES = { nothing: '', text: ' -x', file: ' -r -F' } as const;

function renderFish(commands: readonly CompletionWords[]): string {
  const lines = ['complete -c flagsvc -f'];
  const seen = new Set<string>();
  for (const { name, summary, values, takesFile, options } of commands) {
    const [first, second] = name.split(' ');
    if (!seen.has(first!)) {
      seen.add(first!);
      const about = second === undefined ? ` -d ${quoted(summary)}` : '';
      lines.push(`complete -c flagsvc -n __fish_use_subcommand -a ${first}${about}`);
    }
    const inGroup = `__fish_seen_subcommand_from ${first}`;
    const isHere = second === undefined ? inGroup : `${inGroup}; and __fish_seen_subcommand_from ${second}`;
    if (second !== undefined) {
      const others = commands.flatMap((one) =>
        one.name.startsWith(`${first} `) ? [one.name.split(' ')[1]] : [],
      );
      const isOpen = `${inGroup}; and not __fish_seen_subcommand_from ${others.join(' ')}`;
      lines.push(`complete -c flagsvc -n '${isOpen}' -a ${second} -d ${quoted(summary)}`);
    }
    if (values.length > 0) lines.push(`complete -c flagsvc -n '${isHere}' -a '${values.join(' ')}'`);
    if (takesFile) lines.push(`complete -c flagsvc -n '${isHere}' -F`);
    for (const option of options) {
      const names = option.names.map((one) =>
        one.startsWith('--') ? `-l ${one.slice(2)}` : `-s ${one.slice(1)}`,
      );
      const takes =
        option.values.length > 0 ? ` -x -a '${option.values.join(' ')}'` : FISH_VALUES[option.takes];
      lines.push(
        `complete -c flagsvc -n '${isHere}' ${names.join(' ')}${takes} -d ${quoted(option.summary)}`,
      );
    }
  }
  lines.push(
    "complete -c flagsvc -n __fish_use_subcommand -a help -d 'Show help for a command'",
    `complete -c flagsvc -n '__fish_seen_subcommand_from help' -a '${[...seen].join(' ')}'`,
  );
  return `${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
