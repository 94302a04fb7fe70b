import type { Request } from '../client/document.ts';
import { createKeyHint } from '../help/hints.ts';
import type { OptionValues } from '../input/options.ts';
import { readAttribute, readJson } from '../input/values.ts';
import { CliError, EXIT, usageError } from '../output/errors.ts';
import { renderTable } from '../output/table.ts';
import type { Command } from '../session/command.ts';
import { readSecret } from '../session/session.ts';

/** What `--user`, `--attribute` and `--context` say. */
export function readContext(options: OptionValues): Request<'POST /evaluate'>['body']['context'] {
  if (options.user === undefined) {
    throw usageError('For whom?', 'Name the user with --user; percentages are by user key.');
  }
  const context = options.context === undefined ? {} : readJson('--context', options.context);
  if (typeof context !== 'object' || context === null || Array.isArray(context)) {
    throw usageError('--context must be a JSON object of attributes.');
  }
  const attributes = Object.fromEntries((options.attribute ?? []).map(readAttribute));
  return { user_key: options.user, attributes: { ...context, ...attributes } };
}

const evaluate: Command = {
  name: 'evaluate',
  summary: 'Evaluate flags with an SDK key, as an application would',
  args: [
    { name: 'flag', summary: 'Keys of flags; all flags when there is none', isOptional: true, isMany: true },
  ],
  options: ['user', 'attribute', 'context', 'api-key'],
  notes: 'The environment is the one of the key, from FLAGSVC_API_KEY or --api-key.',
  examples: ['evaluate new-checkout --user ada -a country=CH -a age=36', 'evaluate --user ada --json'],
  async run(session, { args, options }) {
    const apiKey = options['api-key'] ?? session.terminal.env['FLAGSVC_API_KEY'];
    if (!apiKey) {
      throw new CliError('Evaluating needs an SDK key.', {
        code: 'UNAUTHENTICATED',
        exitCode: EXIT.denied,
        hint: `${await createKeyHint(session)}\nWith a login alone, explain does the same.`,
      });
    }
    const name = options['api-key'] === undefined ? 'FLAGSVC_API_KEY' : '--api-key';
    const headers = { 'x-api-key': readSecret(apiKey, `${name} is no key`) };
    const answer = await session.apiWith(headers).call('POST /evaluate', {
      body: { flags: args.length === 0 ? ['*'] : args, context: readContext(options) },
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
