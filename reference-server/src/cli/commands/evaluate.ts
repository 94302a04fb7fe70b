import type { Request } from '../client/document.ts';
import { createKeyHint } from '../help/hints.ts';
import type { OptionValues } from '../input/options.ts';
import { parseAttribute, parseJson, parseSecret } from '../input/values.ts';
import { CliError, EXIT, usageError } from '../output/errors.ts';
import { renderTable } from '../output/table.ts';
import type { Command } from '../session/command.ts';

/** The context from `--user`, `--attribute` and `--context`. */
export function parseContext(options: OptionValues): Request<'POST /evaluate'>['body']['context'] {
  if (options.user === undefined) {
    throw usageError('No user is given.', 'Name one with --user; percentage rollouts need a user key.');
  }
  const context = options.context === undefined ? {} : parseJson('--context', options.context);
  if (typeof context !== 'object' || context === null || Array.isArray(context)) {
    throw usageError('--context must be a JSON object of attributes.');
  }
  const attributes = Object.fromEntries((options.attribute ?? []).map(parseAttribute));
  return { user_key: options.user, attributes: { ...context, ...attributes } };
}

const evaluate: Command = {
  name: 'evaluate',
  summary: 'Evaluate flags with an SDK key, as an application does',
  args: [
    {
      name: 'flag',
      summary: 'Flag keys. Default: all flags',
      isOptional: true,
      isMany: true,
    },
  ],
  options: ['user', 'attribute', 'context', 'api-key'],
  notes: 'The SDK key, from FLAGSVC_API_KEY or --api-key, selects the environment.',
  examples: ['evaluate new-checkout --user ada -a country=CH -a age=36', 'evaluate --user ada --json'],
  async run(session, { args, options }) {
    const apiKey = options['api-key'] ?? session.terminal.env['FLAGSVC_API_KEY'];
    if (!apiKey) {
      throw new CliError('No SDK key is set.', {
        code: 'UNAUTHENTICATED',
        exitCode: EXIT.denied,
        hint: `${await createKeyHint(session)}\nTo evaluate with a login instead, use explain.`,
      });
    }
    const name = options['api-key'] === undefined ? 'FLAGSVC_API_KEY' : '--api-key';
    const headers = { 'x-api-key': parseSecret(name, apiKey) };
    const answer = await session.apiWith(headers).call('POST /evaluate', {
      body: { flags: args.length === 0 ? ['*'] : args, context: parseContext(options) },
    });
    session.show(answer, () =>
      renderTable(Object.entries(answer.evaluations), [
        { head: 'FLAG', cell: ([key]) => key },
        { head: 'VALUE', cell: ([, { value }]) => JSON.stringify(value) },
        { head: 'VARIATION', cell: ([, result]) => result.variation_key },
        { head: 'REASON', cell: ([, { reason }]) => reason },
        { head: 'RULE', cell: ([, result]) => result.rule_id },
      ]),
    );
  },
};

export const evaluateCommands: readonly Command[] = [evaluate];
