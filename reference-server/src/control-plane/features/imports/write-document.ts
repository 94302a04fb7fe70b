import { setImmediate } from 'node:timers/promises';
import { dump } from 'js-yaml';
import type { FlagState } from '../flags/flag-state.ts';
import {
  API_VERSION,
  type DocumentConfig,
  type DocumentEnvironment,
  type DocumentFlag,
  type DocumentSegment,
  type ProjectDocument,
} from './document.ts';

/** How many flags are written as YAML before other requests can run. */
const CHUNK = 100;

/** A flag in each exported environment, by environment key, in the order of the environments' positions. */
export type FlagByEnvironment = ReadonlyMap<string, FlagState>;

/** A project as a document: lists and fields in a fixed order, without values that are defaults. */
export function writeDocument(
  project: Pick<ProjectDocument, 'key' | 'name' | 'description' | 'tags' | 'settings'>,
  lists: {
    readonly environments?: readonly DocumentEnvironment[] | undefined;
    readonly segments?: readonly DocumentSegment[] | undefined;
    readonly flags?: readonly DocumentFlag[] | undefined;
  },
): ProjectDocument {
  const { key, name, description, tags = [], settings = {} } = project;
  return {
    apiVersion: API_VERSION,
    kind: 'Project',
    ...(key !== undefined && { key }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && description !== '' && { description }),
    ...(tags.length > 0 && { tags }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(lists.environments && { environments: [...lists.environments] }),
    ...(lists.segments && { segments: [...lists.segments] }),
    ...(lists.flags && { flags: [...lists.flags] }),
  };
}

/** A flag as part of a document. */
export function writeFlag(states: FlagByEnvironment): DocumentFlag {
  const [flag] = [...states.values()] as [FlagState];
  const { key, name, description, flagType, status, variations, tags, classification } = flag;
  const default_variation = flag.defaultVariation;
  const environments = Object.fromEntries(
    [...states].map(([environment, state]) => [environment, writeConfig(state, default_variation)]),
  );
  return {
    key,
    ...(name !== key && { name }),
    ...(description !== '' && { description }),
    flag_type: flagType,
    ...((status === 'draft' || status === 'archived') && { status }),
    variations: [...variations],
    default_variation,
    ...(tags.length > 0 && { tags: [...tags] }),
    ...(classification !== null && { classification }),
    ...(flag.clientSide && { client_side: true }),
    ...(flag.trackExposures && { track_exposures: true }),
    ...(flag.permanent && { permanent: true }),
    ...(flag.expectedEndAt !== null && { expected_end_at: flag.expectedEndAt }),
    ...(flag.staleAfterDays !== null && { stale_after_days: flag.staleAfterDays }),
    environments,
  };
}

function writeConfig(state: FlagState, commonDefault: string): DocumentConfig {
  const { enabled, defaultVariation, rules, prerequisites } = state;
  return {
    enabled,
    ...(defaultVariation !== commonDefault && { default_variation: defaultVariation }),
    ...(rules.length > 0 && {
      targeting_rules: rules.map(
        ({ priority, name, conditions, variation, percentage_rollout, bucketing }) => ({
          priority,
          ...(name !== '' && { name }),
          conditions,
          ...(variation !== undefined && { variation }),
          ...(percentage_rollout !== undefined && { percentage_rollout }),
          ...(bucketing !== undefined && { bucketing }),
        }),
      ),
    }),
    ...(prerequisites.length > 0 && {
      prerequisites: prerequisites.map(({ flag_key, variation }) => ({ flag_key, variation })),
    }),
  };
}

const YAML_OPTIONS = { lineWidth: -1, noRefs: true } as const;

/** The document as YAML. Flags are written in chunks, so that other requests run in between. */
export async function toYaml({ flags, ...head }: ProjectDocument): Promise<string> {
  const parts = [dump(head, YAML_OPTIONS)];
  if (flags === undefined) return parts[0]!;
  parts.push(flags.length === 0 ? 'flags: []\n' : 'flags:\n');
  for (let index = 0; index < flags.length; index += CHUNK) {
    // YAML allows list items at the indentation of their key, so chunks can be concatenated.
    parts.push(dump(flags.slice(index, index + CHUNK), YAML_OPTIONS));
    await setImmediate();
  }
  return parts.join('');
}
