import { asFields, asList, asNumber, asObjects, asText, type Fields } from '../elsewhere/fields.ts';
import { variantsIn } from './read-variants.ts';

/** A feature of either form of document. */
export interface UnleashFeature {
  readonly name: string;
  readonly path: string;
  readonly fields: Fields;
  readonly tags: readonly string[];
  readonly dependencies: unknown;
  readonly configs: readonly {
    readonly path: string;
    /** Undefined in a document of one environment, which does not name it. */
    readonly environment: string | undefined;
    readonly enabled: boolean;
    readonly strategies: readonly Fields[];
    readonly variants: readonly Fields[];
  }[];
}

interface UnleashFeatures {
  readonly features: readonly UnleashFeature[];
  /** The environments that the document names; undefined if it names none. */
  readonly environments: readonly string[] | undefined;
}

/** The features of an export, or of what a client gets. */
export function listFeatures(root: Fields): UnleashFeatures {
  const isExport = Array.isArray(root['featureStrategies']) || Array.isArray(root['featureEnvironments']);
  const features = asObjects(root['features']).filter(([, fields]) => typeof fields['name'] === 'string');
  if (!isExport) {
    return { features: features.map(([, fields]) => clientFeature(fields)), environments: undefined };
  }
  const states = asObjects(root['featureEnvironments']).map(([, fields]) => fields);
  const environments = [...new Set(states.map(environmentOf))];
  return { features: features.map(([, fields]) => exportedFeature(fields, root)), environments };
}

const environmentOf = (fields: Fields): string =>
  asText(fields['environment']) ?? asText(fields['environmentName']) ?? asText(fields['name']) ?? '';

function clientFeature(fields: Fields): UnleashFeature {
  const path = `features.${asText(fields['name'])}`;
  return {
    ...{ name: asText(fields['name'])!, path, fields, tags: [], dependencies: fields['dependencies'] },
    configs: [
      {
        path,
        environment: undefined,
        enabled: fields['enabled'] === true && Array.isArray(fields['strategies']),
        strategies: asList(fields['strategies']).map((one) => asFields(one) ?? {}),
        variants: variantsIn(fields['variants']),
      },
    ],
  };
}

function exportedFeature(fields: Fields, root: Fields): UnleashFeature {
  const name = asText(fields['name'])!;
  const own = (list: string, key = 'featureName') =>
    asObjects(root[list])
      .map(([, one]) => one)
      .filter((one) => one[key] === name);
  const strategies = own('featureStrategies').sort(
    (one, other) => (asNumber(one['sortOrder']) ?? 0) - (asNumber(other['sortOrder']) ?? 0),
  );
  const configs = own('featureEnvironments').map((state) => {
    const environment = environmentOf(state);
    return {
      path: `features.${name}.${environment}`,
      environment,
      enabled: state['enabled'] === true,
      strategies: strategies.filter((one) => (asText(one['environment']) ?? environment) === environment),
      variants: variantsIn(state['variants'] ?? fields['variants']),
    };
  });
  return {
    ...{ name, path: `features.${name}`, fields, configs },
    tags: own('featureTags').flatMap((one) => {
      const value = asText(one['tagValue']);
      return value ? [value.slice(0, 100)] : [];
    }),
    dependencies: own('dependencies', 'feature').flatMap((one) => asList(one['dependencies'])),
  };
}
