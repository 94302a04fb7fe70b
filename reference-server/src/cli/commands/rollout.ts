import { confirmIn, showWritten, writeParts } from '../changes/write.ts';
import type { Flag, Request } from '../client/document.ts';
import { commandLine, withCommands } from '../help/hints.ts';
import { didYouMean } from '../input/nearest.ts';
import { readShare } from '../input/values.ts';
import { findFlag, findPlace } from '../lookup/find.ts';
import { CliError, EXIT, usageError } from '../output/errors.ts';
import { renderFlag } from '../output/render-flag.ts';
import { type Command, WRITE_OPTIONS } from '../session/command.ts';
import { FLAG_KEY } from './flags.ts';

type Instruction = Request<'PATCH /flags/{flag_id}'>['body']['instructions'][number];
type Shares = { variation: string; percentage: number }[];

const rollout: Command = {
  name: 'flags rollout',
  summary: 'Serve variations by percentage in one environment',
  args: [FLAG_KEY, { name: 'share', summary: 'variation=percentage, such as on=25', isMany: true }],
  options: ['project', 'environment', 'rule', 'yes', ...WRITE_OPTIONS],
  notes:
    'Without --rule it sets the rule that has no conditions, and adds one at the end if there is none. Who is in no share gets the default variation. The flag is not turned on.',
  examples: [
    'flags rollout new-checkout on=25 -e production',
    'flags rollout cta a=50 b=50 -e production --rule "Everybody else"',
  ],
  async run(session, { args: [key, ...texts], options }) {
    const shares = texts.map(readShare);
    if (shares.length === 0) throw usageError('How much of what?', 'Give shares such as on=25.');
    const place = await findPlace(session, { isDefaultGood: false });
    const flag = await findFlag(session, place, key!);
    checkVariations(flag, shares);
    const instruction = instructionFor(flag, shares, {
      wanted: options.rule,
      show: commandLine(session, ['flags', 'get', flag.key], place),
    });
    await confirmIn(session, place, `Serve ${texts.join(' ')} of ${flag.key}`);
    const { headers, query } = writeParts(session);
    const answer = await place.api.change('PATCH /flags/{flag_id}', {
      params: { flag_id: flag.id },
      // Which rule is meant was read from this revision.
      headers: { ...headers, 'if-match': `"${flag.revision}"` },
      query: { ...query, environment_id: place.environment.id },
      body: { instructions: [instruction], comment: options.comment },
    });
    showWritten(session, answer, (done) => {
      const off = done.enabled ? '' : `\n${done.key} is off: nobody gets this before it is turned on.\n`;
      return renderFlag(done, place.environment.key) + off;
    });
  },
};

function checkVariations({ key, variations }: Flag, shares: Shares): void {
  const keys = variations.map((one) => one.key);
  const unknown = shares.find(({ variation }) => !keys.includes(variation));
  if (unknown === undefined) return;
  throw new CliError(`Flag ${key} has no variation "${unknown.variation}".`, {
    code: 'RULE_VARIATION_UNKNOWN',
    exitCode: EXIT.usage,
    hint: didYouMean(unknown.variation, keys) ?? `It has: ${keys.join(', ')}.`,
  });
}

/** `show` is the command that shows the rules. */
function instructionFor(
  flag: Flag,
  percentage_rollout: Shares,
  { wanted, show }: { readonly wanted: string | undefined; readonly show: string },
): Instruction {
  const rules = flag.targeting_rules;
  if (wanted === undefined) {
    const everybody = rules.filter(({ conditions }) => conditions.length === 0).at(-1);
    if (everybody !== undefined) return { op: 'set_rollout', rule_id: everybody.id, percentage_rollout };
    return { op: 'add_rule', rule: { name: 'Rollout', conditions: [], percentage_rollout } };
  }
  const meant = rules.filter(({ id, name }) => id === wanted || name === wanted);
  if (meant.length === 1) return { op: 'set_rollout', rule_id: meant[0]!.id, percentage_rollout };
  const names = rules.map(({ name }) => name).filter((name) => name !== '');
  throw new CliError(
    meant.length === 0
      ? `Flag ${flag.key} has no rule "${wanted}".`
      : `Flag ${flag.key} has ${meant.length} rules named "${wanted}".`,
    {
      code: 'RULE_NOT_FOUND',
      exitCode: EXIT.notFound,
      hint:
        (meant.length === 0 ? didYouMean(wanted, names) : undefined) ??
        withCommands('This shows the ids of its rules:', show),
    },
  );
}

export const rolloutCommands: readonly Command[] = [rollout];
