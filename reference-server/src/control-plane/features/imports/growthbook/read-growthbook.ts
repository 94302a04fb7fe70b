import { chosenEnvironments, matchEnvironments } from '../elsewhere/environments.ts';
import { asFields, asList, asObjects, asText, type Fields } from '../elsewhere/fields.ts';
import { finishDocument } from '../elsewhere/finish-document.ts';
import { createFlagNames, type ForeignFlag, readOrLose, refuseDocument } from '../elsewhere/foreign-flags.ts';
import { createLosses, type ForeignDocument, type ForeignScope } from '../elsewhere/loss.ts';
import { createSegmentBook } from '../elsewhere/segment-book.ts';
import { type Feature, listFeatures, PAYLOAD } from './list-features.ts';
import type { SavedGroup } from './read-conditions.ts';
import { type PreparedFeature, prepareFeature, readFeature } from './read-feature.ts';
import { readRules } from './read-rules.ts';

/**
 * Reads features of GrowthBook: what an SDK gets (`features` by key, of one environment), or what the REST API lists
 * (`features` as a list, with the configuration of each environment). Throws IMPORT_INVALID.
 */
export function readGrowthBook(value: unknown, scope: ForeignScope): ForeignDocument {
  const root = asFields(value) ?? refuseDocument('', 'must be an object with the features of GrowthBook');
  const losses = createLosses();
  const features =
    listFeatures(root, losses) ??
    refuseDocument('features', 'must be the features of GrowthBook, by key or as a list');
  const book = createSegmentBook();
  const matched = environmentsOf(features, scope, losses);
  const names = createFlagNames(losses);
  const prepared = new Map<string, PreparedFeature>();
  for (const feature of features) {
    const key = names.claim(feature.name, feature.path);
    if (key === undefined) continue;
    const read = readOrLose(feature.path, losses, () => prepareFeature(key, feature));
    if (read !== undefined) prepared.set(feature.name, read);
  }
  const groups = readGroups(root['savedGroups']);
  const other = (name: string) => prepared.get(name);
  const flags = [...prepared.values()].flatMap((one): ForeignFlag[] => {
    const { path } = one.feature;
    const flag = readOrLose(path, losses, () =>
      readFeature(one, matched, { book, losses, groups, readRules, other }),
    );
    return flag === undefined ? [] : [{ path, flag }];
  });
  const compared = flags.find(({ flag }) => JSON.stringify(flag.environments).includes('"operator"'));
  if (compared !== undefined) {
    losses.lose({
      code: 'other-types-match',
      path: compared.path,
      message:
        'Here the number 5 and the text "5" are the same, true matches only true, and a list matches if one of its elements does.',
      remedy: 'Send each attribute with the type that GrowthBook has for it.',
    });
  }
  return finishDocument(flags, book, losses);
}

/** Our environments for each name of theirs. */
function environmentsOf(
  features: readonly Feature[],
  scope: ForeignScope,
  losses: ReturnType<typeof createLosses>,
): ReadonlyMap<string, readonly string[]> {
  const names = [
    ...new Set(features.flatMap(({ configs }) => configs.map(({ environment }) => environment))),
  ];
  if (names.every((name) => name === PAYLOAD)) {
    return new Map([[PAYLOAD, chosenEnvironments(scope, 'GrowthBook')]]);
  }
  return new Map([...matchEnvironments(names, scope, losses)].map(([name, key]) => [name, [key]]));
}

/** Saved groups, by id: lists of values in an SDK's payload, objects in the REST API. */
function readGroups(value: unknown): ReadonlyMap<string, SavedGroup> {
  const listed = asObjects(value).map(([, group]) => [asText(group['id']) ?? '', restGroup(group)] as const);
  const own = Object.entries(asFields(value) ?? {});
  return new Map([
    ...listed,
    ...own.map(([id, values]) => [id, { name: id, values: asList(values) }] as const),
  ]);
}

function restGroup(group: Fields): SavedGroup {
  const name = asText(group['name']) ?? asText(group['id']) ?? '';
  const condition = group['type'] === 'condition' ? parse(group['condition']) : undefined;
  return { name, values: asList(group['values']), attribute: asText(group['attributeKey']), condition };
}

function parse(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : text;
  } catch {
    return undefined;
  }
}
