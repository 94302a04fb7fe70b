import type { EvaluationResult, Flag, Json } from '@flagsvc/sdk-core';
import { isServable, type PageClient, toJson } from '@flagsvc/sdk-core/client';
import { flagsOf } from '@flagsvc/sdk-core/openfeature';
import type { Overridable } from '../with-overrides.ts';

/** A client with overrides, as `withOverrides` returns it. */
export type DevtoolsClient = PageClient & Overridable;

/** What the panel shows of a flag. */
export interface FlagDescription {
  /** The value that the page gets: that of the override, of the server, or the page's default value. */
  readonly value: unknown;
  /** Where the value comes from. */
  readonly source:
    | 'override'
    | 'server'
    | 'last answer'
    | 'cache'
    | 'bootstrap'
    | 'ruleset'
    | 'default value';
  /** Why the server serves its value, and what it would serve instead of an override. */
  readonly why: string;
  /** The rule that decided, as JSON; undefined if there is none or the page has no rules. */
  readonly rule: string | undefined;
  /** The values that the flag can have, if the page knows them. */
  readonly choices: readonly Json[];
  readonly isOverridden: boolean;
  /** The override, even if its type keeps the page from getting it. */
  readonly override: unknown;
  /** True if the page has read the flag. */
  readonly isRead: boolean;
}

/** A value in one line. */
export const toLine = (value: unknown): string => (value === undefined ? '' : toJson(value));

const sourceOf = (client: DevtoolsClient): FlagDescription['source'] => {
  const status = client.status();
  if (status === 'cached') return client.bootstrap ? 'bootstrap' : 'cache';
  if (status !== 'ready') return 'last answer';
  return client.ruleset() ? 'ruleset' : 'server';
};

/** All flags that the panel lists: those of the server, those overridden, and those that the page reads. */
export const listFlags = (client: DevtoolsClient): string[] => {
  const keys = [
    ...Object.keys(client.evaluateAll()),
    ...[...client.overrides.reads.keys()].filter((key) => key !== ''),
  ];
  return [...new Set(keys)].sort();
};

/** Why the server serves this result, from its parts. */
const reasonsOf = (result: EvaluationResult | undefined, flag: Flag | undefined): string =>
  result
    ? [result.reason, result.variation_key, result.rule_id, flag?.archived && 'archived']
        .filter(Boolean)
        .join(' · ')
    : 'the server has no such flag for this key';

/** Describes a flag. `served` are the server's results, without overrides. */
export const describeFlag = (
  client: DevtoolsClient,
  flagKey: string,
  served: Readonly<Record<string, EvaluationResult>>,
): FlagDescription => {
  const values: Readonly<Record<string, unknown>> = client.overrides.values();
  const isOverridden = Object.hasOwn(values, flagKey);
  const result = served[flagKey];
  const read = client.overrides.reads.get(flagKey);
  const ruleset = client.ruleset();
  const flag = ruleset && flagsOf(ruleset).get(flagKey);
  const rule = flag?.targeting_rules?.find(({ id }) => id === result?.rule_id);
  const why = reasonsOf(result, flag);
  const more = {
    rule: rule && toLine(rule),
    choices: flag?.variations?.map(({ value }) => value) ?? [],
    isOverridden,
    override: isOverridden ? values[flagKey] : undefined,
    isRead: read !== undefined,
  };
  const isFound = isOverridden || result !== undefined;
  if (!isFound) return { ...more, value: read?.defaultValue, source: 'default value', why };
  const value = isOverridden ? values[flagKey] : result!.value;
  // The page may have read the flag before the value arrived, so the last read does not tell.
  if (read && !isServable(value, read.defaultValue)) {
    const other = `${toLine(value)} has another type than the page's default value`;
    return { ...more, value: read.defaultValue, source: 'default value', why: other };
  }
  if (!isOverridden) return { ...more, value, source: sourceOf(client), why };
  const instead = result ? `instead of ${toLine(result.value)} · ` : '';
  return { ...more, value, source: 'override', why: instead + why };
};
