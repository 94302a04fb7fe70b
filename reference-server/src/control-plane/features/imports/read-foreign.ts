import type { ForeignDocument, ForeignScope } from './elsewhere/loss.ts';
import { readFlagd } from './flagd/read-flagd.ts';
import { readGrowthBook } from './growthbook/read-growthbook.ts';
import { readLaunchDarkly } from './launchdarkly/read-launchdarkly.ts';
import type { ImportFormat } from './read-document.ts';
import { readUnleash } from './unleash/read-unleash.ts';

export type ForeignFormat = Exclude<ImportFormat, 'flagsvc'>;

const READERS: Readonly<Record<ForeignFormat, (value: unknown, scope: ForeignScope) => ForeignDocument>> = {
  flagd: (value, { environmentKeys }) => {
    const { warnings, ...read } = readFlagd(value, environmentKeys);
    return { ...read, losses: warnings };
  },
  launchdarkly: readLaunchDarkly,
  unleash: readUnleash,
  growthbook: readGrowthBook,
};

/** Reads the document of another product as one of ours. Throws IMPORT_INVALID. */
export function readForeign(value: unknown, format: ForeignFormat, scope: ForeignScope): ForeignDocument {
  return READERS[format](value, scope);
}
