import type { Api } from '../client/api.ts';
import type { DryRun } from '../client/document.ts';
import { createKeyLookup, type KeyLookup, mapInSequence } from '../lookup/key-lookup.ts';
import { changeLines, type FieldChange, type RulePlaces, rulePlaces } from '../output/change-words.ts';
import { cellText, warningText } from '../output/table.ts';
import { withShortTimes } from '../output/time-words.ts';
import type { Session } from '../session/session.ts';

/** Shows the result of a change: what a dry run would change, in sentences, or `text`. */
export async function showChange<Done extends object>(
  session: Session,
  result: Done | DryRun,
  text: (done: Done) => string,
): Promise<void> {
  if (!isDryRun(result)) {
    session.show(result, () => text(result));
    return;
  }
  const sentences = session.options.json === true ? '' : await describePlan(session, result);
  session.show(result, () => sentences);
}

export function isDryRun(result: object): result is DryRun {
  return 'plan' in result && Array.isArray(result.plan);
}

type Step = DryRun['plan'][number];

async function describePlan(session: Session, { plan }: DryRun): Promise<string> {
  if (plan.length === 0) return 'Nothing would change.\n';
  const api = session.api();
  const keys = createKeyLookup(api);
  // The steps of an import say what it does to each resource; its own record adds only counts.
  const told = plan.filter(({ action }) => plan.length === 1 || !action.startsWith('import.'));
  const steps = await mapInSequence(told, (step) => describeStep(step, { api, keys }));
  // Planning an import and applying it warn of the same.
  const warnings = [...new Set(plan.flatMap((step) => step.warnings.map(warningText)))];
  return `${steps.join('')}Nothing was changed: this is a dry run.\n${warnings.join('')}`;
}

interface Lookups {
  readonly api: Api;
  readonly keys: KeyLookup;
}

async function describeStep(step: Step, { api, keys }: Lookups): Promise<string> {
  const { action, resource, gate } = step;
  const changes = step.changes as Readonly<Record<string, FieldChange>>;
  const verb = verbOf(action);
  const lines = verb === 'delete' || verb === 'remove' ? [] : changeLines(changes, await placesOf(api, step));
  const head = `Would ${verb} ${subjectOf(action, resource)}${await placeOf(step, keys)}${lines.length > 0 ? ':' : '.'}`;
  const refusal = gate.allowed
    ? []
    : [`  The server would refuse this: ${withShortTimes(cellText(gate.message ?? ''))} (${gate.code})`];
  const body = [head, ...lines.map((line) => `  ${line}`), ...refusal];
  return `${body.join('\n')}\n`;
}

/** The fields that a flag has in each environment; the others are the same in all. */
const PER_ENVIRONMENT = new Set(['enabled', 'targeting_rules', 'default_variation', 'prerequisites']);

async function placeOf({ resource, changes }: Step, keys: KeyLookup): Promise<string> {
  const environmentId = resource?.environment_id ?? null;
  if (environmentId === null || environmentId === resource?.id) return '';
  const fields = Object.keys(changes);
  const isShared =
    resource?.type === 'flag' && fields.length > 0 && !fields.some((one) => PER_ENVIRONMENT.has(one));
  return isShared ? ' in every environment' : ` in ${await keys.environment(environmentId)}`;
}

/** Where the rules of a changed flag stand; undefined for other changes, and if the flag cannot be read. */
async function placesOf(api: Api, { resource, changes }: Step): Promise<RulePlaces | undefined> {
  const rules = (changes as Readonly<Record<string, FieldChange>>)['targeting_rules'];
  if (rules === undefined || resource?.type !== 'flag' || resource.environment_id === null) return undefined;
  const request = { params: { flag_id: resource.id }, query: { environment_id: resource.environment_id } };
  const flag = await api.call('GET /flags/{flag_id}', request).catch(() => undefined);
  return flag && rulePlaces(flag.targeting_rules, rules);
}

function subjectOf(action: string, resource: Step['resource']): string {
  const noun = resource?.type ?? action.split('.')[0]!;
  const type = NOUNS[noun] ?? noun.replaceAll('_', ' ');
  const name = resource?.key ?? '';
  return cellText(name === '' ? `the ${type}` : `${type} ${name}`);
}

const NOUNS: Readonly<Record<string, string>> = { break_glass: 'break-glass session', api_key: 'SDK key' };

const VERBS: Readonly<Record<string, string>> = {
  created: 'create',
  updated: 'change',
  toggled: 'change',
  patched: 'change',
  promoted: 'change',
  deleted: 'delete',
  removed: 'remove',
  archived: 'archive',
  restored: 'restore',
  revoked: 'revoke',
  rotated: 'rotate',
  activated: 'activate',
  cloned: 'copy',
  scheduled: 'schedule a change of',
  cancelled: 'cancel',
  renamed: 'rename',
  executed: 'execute',
  opened: 'open',
  closed: 'close',
  reviewed: 'review',
  ended: 'end',
  enabled: 'enable',
  invited: 'invite',
  planned: 'make',
};

/** The verb of an audit action: `flag.toggled` is "change". */
function verbOf(action: string): string {
  const last = action.split('.').at(-1)!;
  const past = last.split('_').at(-1)!;
  return VERBS[last] ?? VERBS[past] ?? `record "${action}" for`;
}
