import { createKeyHint } from '../help/hints.ts';
import { parseContext } from '../input/context.ts';
import { parseSecret } from '../input/values.ts';
import { CliError, EXIT } from '../output/errors.ts';

import type { Command } from '../session/command.ts';

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
    if (options['api-key'] !== undefined) {
      session.terminal.err(
        'Warning: other users of this machine can read --api-key in process lists; set FLAGSVC_API_KEY instead.\n',
      );
    }
    const name = options['api-key'] === undefined ? 'FLAGSVC_API_KEY' : '--api-key';
    const headers = { 'x-api-key': parseSecret(name, apiKey) };
    const answer = await session.apiWith(headers).call('POST /evaluate', {
      body: { flags: args.length === 0 ? ['*'] : args, context: parseContext(options) },
    });
    session.show(answer, () =>
      session.table(Object.entries(answer.evaluations), [
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
