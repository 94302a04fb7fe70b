import { type Condition, createEvaluator, type Evaluator } from '@flagsvc/sdk-core';
import type { DocumentFlag, ProjectDocument } from '../../src/control-plane/features/imports/document.ts';
import type { Loss } from '../../src/control-plane/features/imports/elsewhere/loss.ts';
import { checkDocument } from '../../src/control-plane/features/imports/read-document.ts';
import { type ForeignFormat, readForeign } from '../../src/control-plane/features/imports/read-foreign.ts';
import { compileRuleset } from '../../src/publishing/compile.ts';

/** An empty project with one environment, after the import of a document. */
export interface Imported {
  readonly document: ProjectDocument;
  readonly losses: readonly Loss[];
  readonly evaluator: Evaluator;
  readonly flag: (key: string) => DocumentFlag | undefined;
  /** The conditions of a flag, including those of segments. */
  readonly conditionsOf: (flag: DocumentFlag) => readonly Condition[];
}

const ENVIRONMENT = 'env';

export function imported(source: unknown, format: ForeignFormat): Imported {
  const read = readForeign(source, format, { environmentKeys: [ENVIRONMENT], isChosen: true });
  const document = checkDocument(read.document, read.toSource);
  const { flags = [], segments = [] } = document;
  const rows = flags.map((flag) => {
    const config = flag.environments?.[ENVIRONMENT] ?? {};
    const rules = (config.targeting_rules ?? []).map((rule, index) => ({ ...rule, id: `rule_${index}` }));
    return {
      key: flag.key,
      flag_type: flag.flag_type,
      status: flag.status === 'archived' ? ('archived' as const) : ('active' as const),
      enabled: config.enabled === true ? (1 as const) : (0 as const),
      client_side: 0 as const,
      variations_json: JSON.stringify(flag.variations),
      default_variation: config.default_variation ?? flag.default_variation,
      rules_json: JSON.stringify(rules),
      prerequisites_json: JSON.stringify(config.prerequisites ?? []),
    };
  });
  const segmentRows = segments.map(({ key, conditions, included, excluded }) => ({
    id: key,
    key,
    conditions_json: JSON.stringify(conditions),
    included_json: JSON.stringify(included ?? null),
    excluded_json: JSON.stringify(excluded ?? []),
  }));
  const ruleset = compileRuleset(
    { environmentId: ENVIRONMENT, version: 1, flags: rows, segments: segmentRows },
    '',
  );
  const inside = new Map(segments.map(({ key, conditions }) => [key, conditions as Condition[]]));
  return {
    document,
    losses: read.losses.filter((one): one is Loss => typeof one !== 'string'),
    evaluator: createEvaluator(ruleset),
    flag: (key) => flags.find((one) => one.key === key),
    conditionsOf: (flag) =>
      (flag.environments?.[ENVIRONMENT]?.targeting_rules ?? [])
        .flatMap((rule) => rule.conditions as Condition[])
        .flatMap((one) =>
          one.attribute === '$segment'
            ? (one.value as string[]).flatMap((key) => inside.get(key) ?? [])
            : [one],
        ),
  };
}

/** What an imported flag serves when it is off or nothing matches. */
export function defaultValueOf(flag: DocumentFlag): unknown {
  const key = flag.environments?.[ENVIRONMENT]?.default_variation ?? flag.default_variation;
  return flag.variations.find((one) => one.key === key)?.value;
}
