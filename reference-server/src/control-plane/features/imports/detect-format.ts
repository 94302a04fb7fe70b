import { asFields, asObjects, type Fields } from './elsewhere/fields.ts';
import type { ImportFormat } from './read-document.ts';

/** The format of a parsed document, by what its flags look like. A document of ours names its version. */
export function detectFormat(value: unknown): ImportFormat {
  const root = asFields(value);
  if (root === undefined || root['apiVersion'] !== undefined) return 'flagsvc';
  if (isFlagd(root)) return 'flagd';
  if (isLaunchDarkly(root)) return 'launchdarkly';
  if (isUnleash(root)) return 'unleash';
  return isGrowthBook(root) ? 'growthbook' : 'flagsvc';
}

const values = (fields: Fields | undefined): readonly Fields[] =>
  asObjects(Object.values(fields ?? {})).map(second);
const second = <T>([, one]: readonly [unknown, T]): T => one;

function isFlagd(root: Fields): boolean {
  const isNamed = typeof root['$schema'] === 'string' && root['$schema'].includes('flagd.dev/schema');
  return isNamed || values(asFields(root['flags'])).some((flag) => asFields(flag['variants']) !== undefined);
}

function isLaunchDarkly(root: Fields): boolean {
  const byKey = asFields(root['flags']) ?? asFields(asFields(root['data'])?.['flags']);
  const all = [root, ...asObjects(root['items']).map(second), ...values(byKey)];
  return all.some((flag) => Array.isArray(flag['variations']));
}

function isUnleash(root: Fields): boolean {
  if (!Array.isArray(root['features'])) return false;
  const isExport = Array.isArray(root['featureStrategies']) || Array.isArray(root['featureEnvironments']);
  return isExport || asObjects(root['features']).some(([, one]) => Array.isArray(one['strategies']));
}

function isGrowthBook(root: Fields): boolean {
  if (asFields(root['features']) !== undefined) return true;
  const listed = [root, ...asObjects(root['features']).map(second)];
  return listed.some((one) => one['valueType'] !== undefined && asFields(one['environments']) !== undefined);
}
