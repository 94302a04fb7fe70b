import type { Command } from '../command.ts';
import { type CompletionWords, renderCompletion, SHELLS, type Shell } from '../completion.ts';
import { GLOBAL_OPTIONS, OPTIONS, type Option } from '../options.ts';

/** The completion script knows the commands that it is handed, so it is made of them at the end. */
export function createCompletionCommand(commands: readonly Command[]): Command {
  const completion: Command = {
    name: 'completion',
    summary: 'Write a completion script for your shell',
    args: [{ name: 'shell', summary: 'Your shell', values: SHELLS }],
    notes:
      'Bash and zsh read it with `source <(flagsvc completion bash)`; fish with `flagsvc completion fish | source`.',
    async run({ terminal }, { args }) {
      const words = [...commands, completion].map(wordsOf);
      terminal.out(renderCompletion(args[0] as Shell, words));
    },
  };
  return completion;
}

function wordsOf({ name, summary, args = [], options = [] }: Command): CompletionWords {
  return {
    name,
    summary,
    values: args.flatMap(({ values = [] }) => values),
    options: [...options, ...GLOBAL_OPTIONS].map((option) => {
      const { summary: does, type, values = [] }: Option = OPTIONS[option];
      return { name: `--${option}`, summary: does, takesValue: type === 'string', values };
    }),
  };
}
