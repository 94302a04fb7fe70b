import { ApiError } from '../../../../http/errors.ts';
import { checkRules } from '../../flags/checks/check-rules.ts';
import { checkVariations } from '../../flags/checks/check-variations.ts';
import { LISTS_MAX } from '../../flags/flag-schemas.ts';
import { API_VERSION, type DocumentFlag, type ProjectDocument } from '../document.ts';
import type { ImportError } from '../import-errors.ts';
import { type ForeignFlag, prerequisiteLoss, switchedOff } from './foreign-flags.ts';
import type { ForeignDocument, Loss, Losses } from './loss.ts';
import { HELPER, type SegmentBook } from './segment-book.ts';

/** The document, without flags that the project would refuse, and with prerequisites that it can hold. */
export function finishDocument(
  flags: readonly ForeignFlag[],
  book: SegmentBook,
  losses: Losses,
): ForeignDocument {
  const { segments } = book;
  const segmentKeys = new Set(segments.map(({ key }) => key));
  const accepted = flags.filter((one) => isAccepted(one, segmentKeys, losses.lose));
  const known = new Map(accepted.map((one) => [one.flag.key, one] as const));
  const isNarrowed = ({ path }: ForeignFlag) => losses.all.some((loss) => narrows(loss, path));
  const kept = accepted.map((one) => {
    const scope = { known, isNarrowed, lose: losses.lose };
    return { ...one, flag: withoutOpenPrerequisites(one, scope) };
  });
  const used = JSON.stringify(kept);
  const document: ProjectDocument = {
    apiVersion: API_VERSION,
    kind: 'Project',
    // A helper of a flag that is left out would have no use.
    segments: segments.filter(({ key, description }) => description !== HELPER || used.includes(`"${key}"`)),
    flags: kept.map(({ flag }) => flag),
  };
  return { document, losses: losses.all, toSource: (path) => sourceOf(kept, document, path) };
}

function isAccepted(
  { path, flag }: ForeignFlag,
  segmentKeys: ReadonlySet<string>,
  lose: (loss: Loss) => void,
): boolean {
  const variationKeys = new Set(flag.variations.map(({ key }) => key));
  const configs = Object.values(flag.environments ?? {});
  const isTooLong =
    flag.variations.length > LISTS_MAX.variations ||
    configs.some(({ prerequisites = [] }) => prerequisites.length > LISTS_MAX.prerequisites);
  if (isTooLong) {
    lose({
      code: 'flag-left-out',
      path,
      message: `The flag is left out: it has more than ${LISTS_MAX.variations} variations or ${LISTS_MAX.prerequisites} prerequisites.`,
      remedy: 'Make two flags of it before you export.',
    });
    return false;
  }
  try {
    checkVariations(
      flag.flag_type,
      flag.variations.map((one) => ({ ...one, name: one.name ?? one.key })),
    );
    for (const { targeting_rules = [] } of configs) {
      checkRules(targeting_rules, {
        ...{ variationKeys, segmentKeys, knownIds: new Set<string>(), before: [] },
        newId: (kind) => `${kind}_`,
      });
    }
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const where = typeof error.details['field'] === 'string' ? ` (${error.details['field']})` : '';
    lose({
      code: 'flag-left-out',
      path,
      message: `The flag is left out: ${error.message}${where}`,
      remedy: 'Change the flag before you export, or create it by hand.',
    });
    return false;
  }
}

/** Losses after which users get the default variation of a flag who did not get it before. */
const NARROWING: ReadonlySet<Loss['code']> = new Set([
  ...(['rule-left-out', 'rule-narrowed', 'rules-cut', 'rollouts-overlap', 'shares-rounded'] as const),
  'segment-left-out',
]);

const narrows = (loss: Loss, path: string): boolean =>
  NARROWING.has(loss.code) &&
  (loss.path === path || loss.path.startsWith(`${path}.`) || loss.path.startsWith('segments.'));

interface PrerequisiteScope {
  readonly known: ReadonlyMap<string, ForeignFlag>;
  readonly isNarrowed: (flag: ForeignFlag) => boolean;
  readonly lose: (loss: Loss) => void;
}

/**
 * A prerequisite on a flag or variation that is not in the file would be refused, and one on the default variation of a
 * flag that serves it to more users than before would let them through. A flag with either is imported switched off.
 */
function withoutOpenPrerequisites(
  { path, flag }: ForeignFlag,
  { known, isNarrowed, lose }: PrerequisiteScope,
): DocumentFlag {
  const faultOf = (name: string, { flag_key, variation }: { flag_key: string; variation: string }) => {
    const parent = known.get(flag_key);
    const hasVariation = parent?.flag.variations.some(({ key }) => key === variation) === true;
    if (parent === undefined || parent.flag.status === 'archived' || !hasVariation) {
      return `${flag_key}, which the import does not have`;
    }
    const served = parent.flag.environments?.[name]?.default_variation ?? parent.flag.default_variation;
    return served === variation && isNarrowed(parent)
      ? `the default variation of ${flag_key}, which more users get than before`
      : undefined;
  };
  const environments = Object.entries(flag.environments ?? {}).map(([name, config]) => {
    const faults = (config.prerequisites ?? []).flatMap((one) => faultOf(name, one) ?? []);
    if (faults.length === 0) return [name, config] as const;
    lose(prerequisiteLoss(path, faults.join(', and on ')));
    return [name, switchedOff(config)] as const;
  });
  return { ...flag, ...(flag.environments && { environments: Object.fromEntries(environments) }) };
}

function sourceOf(
  flags: readonly ForeignFlag[],
  { segments = [] }: ProjectDocument,
  [list, index]: readonly string[],
): Pick<ImportError, 'path' | 'key'> {
  if (index === undefined) return { path: list ?? '' };
  const found = list === 'flags' ? flags[Number(index)] : undefined;
  if (found !== undefined) return { path: found.path, key: found.flag.key };
  const key = segments[Number(index)]?.key;
  return { path: `segments.${key ?? index}`, ...(key !== undefined && { key }) };
}
