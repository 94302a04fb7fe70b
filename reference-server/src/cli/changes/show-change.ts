import type { DryRun } from '../client/document.ts';
import { createKeyLookup, type KeyLookup, mapInSequence } from '../lookup/key-lookup.ts';
import { changeLines, type FieldChange } from '../output/change-words.ts';
import { cellText, warningText } from '../output/table.ts';
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
  const keys = createKeyLookup(session.api());
  // The steps of an import say what it does to each resource; its own record adds only counts.
  const told = plan.filter(({ action }) => plan.length === 1 || !action.startsWith('import.'));
  const steps = await mapInSequence(told, (step) => describeStep(step, keys));
  const warnings = plan.flatMap((step) => step.warnings.map(warningText));
  return `${steps.join('')}Nothing was changed: this is a dry run.\n${warnings.join('')}`;
}

async function describeStep({ action, resource, changes, gate }: Step, keys: KeyLookup): Promise<string> {
  const environmentId = resource?.environment_id ?? null;
  const isInside = environmentId !== null && environmentId !== resource?.id;
  const where = isInside ? ` in ${await keys.environment(environmentId)}` : '';
  const verb = verbOf(action);
  const lines = changeLines(toldChanges(verb, changes as Readonly<Record<string, FieldChange>>));
  const head = `Would ${verb} ${subjectOf(action, resource)}${where}${lines.length > 0 ? ':' : '.'}`;
  const refusal = gate.allowed
    ? []
    : [`  The server would refuse this: ${cellText(gate.message ?? '')} (${gate.code})`];
  const body = [head, ...lines.map((line) => `  ${line}`), ...refusal];
  return `${body.join('\n')}\n`;
}

/** A deletion needs no list of what goes; a creation none of what is off, empty or in its name. */
function toldChanges(verb: string, changes: Readonly<Record<string, FieldChange>>) {
  if (verb === 'delete' || verb === 'remove') return {};
  if (verb !== 'create') return changes;
  return Object.fromEntries(
    Object.entries(changes).filter(([field, { to }]) => field !== 'key' && to !== false && to !== 0),
  );
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
