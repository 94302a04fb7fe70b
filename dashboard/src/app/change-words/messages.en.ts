import { formatPercent } from '../../i18n/format-number.ts';

/** Kinds of things in the log, as the pages name them. */
const nouns: Readonly<Record<string, string>> = {
  flag: 'flag',
  segment: 'segment',
  environment: 'environment',
  project: 'project',
  api_key: 'API key',
  freeze_window: 'freeze',
  break_glass: 'break-glass session',
  webhook: 'webhook',
  member: 'member',
  invitation: 'invitation',
  scheduled_change: 'planned change',
  service_account: 'service account',
  organization: 'organization',
  import: 'import',
  user: 'account',
};

const verbs: Readonly<Record<string, string>> = { toggled: 'switched' };

/** Fields of the API, as the pages name them. */
const fields: Readonly<Record<string, string>> = {
  enabled: 'Switch',
  targeting_rules: 'Rules',
  default_variation: 'Otherwise',
  prerequisites: 'Needs first',
  flag_type: 'Type',
  expected_end_at: 'Planned end',
  permanent: 'Stays for good',
  classification: 'Kind',
  client_side: 'For browsers and apps',
  track_exposures: 'Reports exposures',
  url_template: 'Links to code',
  uses_count: 'Uses',
};

export const en = {
  nouns,
  fields,
  /** `flag.toggled` is "Flag switched". */
  action: (action: string) => {
    const [noun = '', verb = ''] = action.split('.');
    const words = `${nouns[noun] ?? noun.replaceAll('_', ' ')} ${verbs[verb] ?? verb.replaceAll('_', ' ')}`;
    return words.charAt(0).toUpperCase() + words.slice(1);
  },
  serves: (flag: string, variation: string) => `${flag} serves ${variation}`,
  share: (percent: number, variation: string) => `${formatPercent(percent / 100)} ${variation}`,
  /** A rule without conditions is for everyone. */
  rule: (conditions: string, served: string) =>
    conditions === '' ? `everyone gets ${served}` : `if ${conditions}, serve ${served}`,
};
