/** What a completion script knows of a command. */
export interface CompletionWords {
  readonly name: string;
  readonly summary: string;
  /** What its arguments may be, where that is a fixed list. */
  readonly values: readonly string[];
  readonly options: readonly {
    readonly name: string;
    readonly summary: string;
    readonly takesValue: boolean;
    readonly values: readonly string[];
  }[];
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A script that completes commands, options and the values that are fixed lists. */
export function renderCompletion(shell: Shell, commands: readonly CompletionWords[]): string {
  if (shell === 'fish') return renderFish(commands);
  // Zsh understands bash's completion when it is told to.
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
  const lists = new Map<string, readonly string[]>();
  for (const { options } of commands) {
    for (const option of options) if (option.values.length > 0) lists.set(option.name, option.values);
  }
  return `_flagsvc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) [ -z "$command" ] && command="$word" || { command="$command $word"; break; } ;; esac
  done
  case "$previous" in
${[...lists].map(([name, values]) => `    ${name}) COMPREPLY=($(compgen -W "${values.join(' ')}" -- "$current")); return ;;\n`).join('')}    --output|-o) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case "$command" in
    "") words="${firstWords.join(' ')}" ;;
${[...groups].map(([first, seconds]) => `    ${first}) words="${seconds.join(' ')}" ;;\n`).join('')}${commands
  .map(
    ({ name, values, options }) =>
      `    "${name}"${name.includes(' ') ? '' : `|"${name} "*`}) words="${[...values, ...options.map((option) => option.name)].join(' ')}" ;;\n`,
  )
  .join('')}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "$current"))
}
complete -F _flagsvc flagsvc
`;
}

function renderFish(commands: readonly CompletionWords[]): string {
  const lines = ['complete -c flagsvc -f'];
  const seen = new Set<string>();
  for (const { name, summary, values, options } of commands) {
    const [first, second] = name.split(' ');
    if (!seen.has(first!)) {
      seen.add(first!);
      const told = second === undefined ? ` -d ${quoted(summary)}` : '';
      lines.push(`complete -c flagsvc -n __fish_use_subcommand -a ${first}${told}`);
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
    for (const option of options) {
      const takes =
        option.values.length > 0 ? ` -x -a '${option.values.join(' ')}'` : option.takesValue ? ' -r' : '';
      lines.push(
        `complete -c flagsvc -n '${isHere}' -l ${option.name.slice(2)}${takes} -d ${quoted(option.summary)}`,
      );
    }
  }
  return `${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
