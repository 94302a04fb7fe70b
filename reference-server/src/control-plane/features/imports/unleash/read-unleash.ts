import type { DocumentConfig, DocumentFlag } from '../document.ts';
import { type Audience, exactly, isExact, UNKNOWN } from '../elsewhere/audience.ts';
import { chosenEnvironments, matchEnvironments } from '../elsewhere/environments.ts';
import { asFields, asList, asObjects, asText, type Fields } from '../elsewhere/fields.ts';
import { finishDocument } from '../elsewhere/finish-document.ts';
import {
  createFlagNames,
  type ForeignFlag,
  prerequisiteLoss,
  readOrLose,
  refuseDocument,
  switchedOff,
} from '../elsewhere/foreign-flags.ts';
import { toKey } from '../elsewhere/keys.ts';
import { createLosses, type ForeignDocument, type ForeignScope, type Losses } from '../elsewhere/loss.ts';
import { createSegmentBook, type SegmentBook } from '../elsewhere/segment-book.ts';
import { nameOf } from '../elsewhere/variations.ts';
import { writeRules } from '../elsewhere/write-rules.ts';
import { listFeatures, type UnleashFeature } from './list-features.ts';
import { readConstraints } from './read-constraints.ts';
import { readStrategies } from './read-strategies.ts';
import { readVariants, type UnleashVariations, variantsIn } from './read-variants.ts';

const CLASSIFICATIONS: Readonly<Record<string, DocumentFlag['classification']>> = {
  release: 'release',
  experiment: 'experiment',
  'kill-switch': 'ops_killswitch',
  permission: 'permission',
};

/**
 * Reads feature flags of Unleash: an export (`featureStrategies`, `featureEnvironments`), or what a client SDK gets
 * (`features` with `strategies`, of one environment). Throws IMPORT_INVALID.
 */
export function readUnleash(value: unknown, scope: ForeignScope): ForeignDocument {
  const root = asFields(value);
  if (root === undefined || !Array.isArray(root['features'])) {
    return refuseDocument('features', 'must be a list of the features of Unleash');
  }
  const losses = createLosses();
  const book = createSegmentBook();
  const { features, environments } = listFeatures(root);
  const matched =
    environments === undefined
      ? new Map(chosenEnvironments(scope, 'Unleash').map((key) => [key, key] as const))
      : matchEnvironments(environments, scope, losses);
  const membersOf = createSegmentReader(root, book, losses);
  const names = createFlagNames(losses);
  const known = new Map<string, { key: string; feature: UnleashFeature; variations: UnleashVariations }>();
  for (const feature of features) {
    const key = names.claim(feature.name, feature.path);
    if (key === undefined) continue;
    const lists = feature.configs.flatMap(({ strategies, variants }) => [
      variants,
      ...strategies.map((strategy) => variantsIn(strategy['variants'])),
    ]);
    known.set(feature.name, { key, feature, variations: readVariants(lists) });
  }
  const flags = [...known.values()].flatMap(({ key, feature, variations }): ForeignFlag[] => {
    const read = readOrLose(feature.path, losses, () => {
      const configs = feature.configs.flatMap((config) => {
        // A file of one environment names none, and goes into each that was chosen.
        const keys =
          config.environment === undefined ? [...matched.values()] : [matched.get(config.environment)];
        const own = { ...config, feature, variations };
        const read = readConfig(own, { book, losses, membersOf, known });
        return keys.flatMap((one) => (one === undefined ? [] : [[one, read] as const]));
      });
      return {
        ...sharedOf(key, feature),
        ...flagOf(variations),
        environments: structuredClone(Object.fromEntries(configs)),
      };
    });
    return read === undefined ? [] : [{ path: feature.path, flag: read }];
  });
  const compared = flags.find(({ flag }) => JSON.stringify(flag.environments).includes('"operator"'));
  if (compared !== undefined) {
    losses.lose({
      code: 'other-types-match',
      path: compared.path,
      message:
        'Unleash turns each field into a text, lists too, and reads texts such as 0x10 as numbers. Here a list matches if one of its elements does, and a number is a plain decimal.',
      remedy: 'Send fields as plain texts and numbers.',
    });
  }
  return finishDocument(flags, book, losses);
}

function flagOf({ flag_type, variations, off }: UnleashVariations) {
  return { flag_type, variations, default_variation: off };
}

function sharedOf(key: string, { fields, name, tags }: UnleashFeature) {
  const description = asText(fields['description']);
  const type = asText(fields['type']) ?? '';
  const classification = Object.hasOwn(CLASSIFICATIONS, type) ? CLASSIFICATIONS[type] : undefined;
  return {
    key,
    name: nameOf(name) ?? key,
    ...(description && { description: description.slice(0, 2_000) }),
    ...(classification && { classification }),
    ...(tags.length > 0 && { tags: [...new Set(tags)].slice(0, 20) }),
  };
}

interface ConfigScope {
  readonly book: SegmentBook;
  readonly losses: Losses;
  readonly membersOf: (id: unknown) => Audience;
  readonly known: ReadonlyMap<
    string,
    { readonly key: string; readonly feature: UnleashFeature; readonly variations: UnleashVariations }
  >;
}

type Config = UnleashFeature['configs'][number] & {
  readonly feature: UnleashFeature;
  readonly variations: UnleashVariations;
};

function readConfig(config: Config, { book, losses, membersOf, known }: ConfigScope): DocumentConfig {
  const { path, enabled, strategies, variants, variations, feature } = config;
  const { lose } = losses;
  const rules = readStrategies(strategies, {
    ...{ path: `${path}.strategies`, book, lose, membersOf, variations },
    flagVariants: variants,
  });
  const targeting_rules = writeRules(rules, {
    path,
    defaultVariation: variations.off,
    product: 'Unleash',
    lose,
  });
  const prerequisites = asObjects(feature.dependencies).map(([index, one]) => {
    const at = `${feature.path}.dependencies.${index}`;
    const parent = known.get(asText(one['feature']) ?? '');
    const found = parent && parentVariation(one, parent.variations);
    if (parent !== undefined && found !== undefined) return { flag_key: parent.key, variation: found };
    const name = asText(one['feature']) ?? 'another flag';
    const what =
      parent === undefined
        ? `${name}, which the file does not have`
        : `one of several variations of ${name}, or on ${name} being off`;
    lose(prerequisiteLoss(at, what));
    return undefined;
  });
  const kept = prerequisites.filter((one) => one !== undefined);
  const result: DocumentConfig = {
    enabled,
    ...(targeting_rules.length > 0 && { targeting_rules }),
    ...(kept.length > 0 && { prerequisites: kept }),
  };
  return kept.length === prerequisites.length ? result : switchedOff(result);
}

/** The one variation that the parent must serve. Undefined if there are several, or if the parent must be off. */
function parentVariation(dependency: Fields, variations: UnleashVariations): string | undefined {
  if (dependency['enabled'] === false) return undefined;
  if (variations.flag_type === 'boolean') return asList(dependency['variants']).length > 0 ? undefined : 'on';
  const names = asList(dependency['variants']);
  const fitting = variations.variations.filter(({ value }) =>
    names.includes((value as { name: string }).name),
  );
  const named = fitting.filter(({ key }) => key !== variations.off);
  return names.length === 1 && named.length === 1 ? named[0]!.key : undefined;
}

function createSegmentReader(root: Fields, book: SegmentBook, { lose }: Losses): (id: unknown) => Audience {
  const segments = new Map(
    asObjects(root['segments']).map(([, segment]) => [String(segment['id']), segment]),
  );
  const read = new Map<string, Audience>();
  return (id) => {
    const name = String(id);
    const known = read.get(name) ?? readSegment(name, segments.get(name), { book, lose });
    read.set(name, known);
    return known;
  };
}

function readSegment(
  id: string,
  segment: Fields | undefined,
  { book, lose }: { readonly book: SegmentBook; readonly lose: Losses['lose'] },
): Audience {
  const title = asText(segment?.['name']) ?? `segment-${id}`;
  const path = `segments.${title}`;
  if (segment === undefined || !Array.isArray(segment['constraints'])) {
    lose({
      code: 'segment-left-out',
      path,
      message: `The file does not say what the segment ${title} contains. Its users get the default variation.`,
      remedy:
        'Add "constraints" to each of "segments" in the file (GET /api/admin/segments has them) and import again.',
    });
    return UNKNOWN;
  }
  const members = readConstraints(segment['constraints'], { path: `${path}.constraints`, book, lose });
  const [conditions, ...others] = members.sure;
  const isPure = conditions?.every(({ attribute }) => attribute !== '$segment') ?? false;
  if (
    !isExact(members) ||
    conditions === undefined ||
    others.length > 0 ||
    !isPure ||
    conditions.length === 0
  ) {
    return members;
  }
  const description = asText(segment['description'])?.slice(0, 2_000);
  const own = { key: toKey(title), name: nameOf(title) ?? `Segment ${id}`, conditions: [...conditions] };
  const key = book.define({ ...own, ...(description && { description }) });
  return exactly([[{ attribute: '$segment', operator: 'one_of', value: [key] }]]);
}
