import type { Json, Ruleset } from '@flagsvc/sdk-core';
import { type PageClient, toJson } from '@flagsvc/sdk-core/client';
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
  /** True if the page has read the flag. */
  readonly isRead: boolean;
}

/** A value in one line. */
export const toLine = (value: unknown): string => (value === undefined ? '' : toJson(value));

const flagOf = (ruleset: Ruleset | undefined, flagKey: string) =>
  ruleset?.flags.find(({ key }) => key === flagKey);

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

/** Describes a flag. `served` are the server's results, without overrides. */
export const describeFlag = (
  client: DevtoolsClient,
  flagKey: string,
  served: ReturnType<DevtoolsClient['evaluateAll']>,
): FlagDescription => {
  const values: Readonly<Record<string, unknown>> = client.overrides.values();
  const isOverridden = Object.hasOwn(values, flagKey);
  const result = served[flagKey];
  const read = client.overrides.reads.get(flagKey);
  const isMistyped = read !== undefined && read.result.variation_key === null && (isOverridden || result);
  const flag = flagOf(client.ruleset(), flagKey);
  const rule = flag?.targeting_rules?.find(({ id }) => id === result?.rule_id);
  const reasons = result
    ? [result.reason, result.variation_key, result.rule_id, flag?.archived && 'archived']
    : ['the server has no such flag for this key'];
  const why = reasons.filter(Boolean).join(' · ');
  const choices = flag?.variations?.map(({ value }) => value) ?? [];
  return {
    value: isMistyped
      ? read.result.value
      : isOverridden
        ? values[flagKey]
        : result
          ? result.value
          : read?.result.value,
    source: isMistyped
      ? 'default value'
      : isOverridden
        ? 'override'
        : result
          ? sourceOf(client)
          : 'default value',
    why: isMistyped
      ? `another type than the page's default value ${toLine(read.defaultValue)}`
      : isOverridden
        ? result
          ? `instead of ${toLine(result.value)} · ${why}`
          : why
        : why,
    rule: rule && toLine(rule),
    choices,
    isOverridden,
    isRead: read !== undefined,
  };
};
