import { type CompletionWords, renderCompletion, SHELLS, type Shell } from '../help/completion.ts';
import { summaryOf } from '../help/help.ts';
import type { Option } from '../input/option.ts';
import { GLOBAL_OPTIONS, OPTIONS } from '../input/options.ts';
import { valuesOf } from '../input/parse.ts';
import type { Command } from '../session/command.ts';

/** The `completion` command for these commands and itself. */
export function createCompletionCommand(commands: readonly Command[]): Command {
  const completion: Command = {
    name: 'completion',
    summary: 'Print a completion script for a shell',
    args: [{ name: 'shell', summary: 'Shell', values: SHELLS }],
    notes:
      'Bash and zsh load it with `source <(flagsvc completion bash)`, fish with `flagsvc completion fish | source`.',
    examples: ['completion bash'],
    async run(session, { args }) {
      const script = renderCompletion(args[0] as Shell, [...commands, completion].map(wordsOf));
      session.show({ script }, () => script);
    },
  };
  return completion;
}

function wordsOf(command: Command): CompletionWords {
  const { name, summary, args = [], options = [] } = command;
  return {
    name,
    summary,
    values: args.flatMap(({ values = [] }) => values),
    takesFile: args.some((argument) => argument.name === 'file' || argument.name === 'folder'),
    options: [...options, ...GLOBAL_OPTIONS].map((option) => {
      const { short, type, value, negatable }: Option = OPTIONS[option];
      return {
        names: [
          `--${option}`,
          ...(short === undefined ? [] : [`-${short}`]),
          ...(negatable === true ? [`--no-${option}`] : []),
        ],
        summary: summaryOf(option, command),
        takes: type === 'boolean' ? 'nothing' : value === 'file' ? 'file' : 'text',
        values: valuesOf(option, command),
      };
    }),
  };
}
