import { formatNumber } from '../../i18n/format-number.ts';
import { plural } from '../../i18n/plural.ts';

export const en = {
  title: (environment: string) => `Evaluations in ${environment}`,
  range: 'Time',
  ranges: { '24h': '24 h', '7d': '7 days', '30d': '30 days' },
  caption: {
    '24h': 'Evaluations by hour and variation, last 24 hours',
    '7d': 'Evaluations by day (UTC) and variation, last 7 days',
    '30d': 'Evaluations by day (UTC) and variation, last 30 days',
  },
  time: 'Time',
  loading: 'Loading the evaluations',
  none: 'no variation',
  noneHelp: 'Apps got their own default value.',
  removed: (key: string) => `${key} (removed)`,
  total: (count: number) =>
    plural(count, { one: '# evaluation', other: `${formatNumber(count)} evaluations` }),
  empty: 'No evaluations in this time',
  emptyText:
    'SDKs count evaluations and report them each minute. The first ones appear here as soon as an app asks for this flag with a key of this environment.',
  keys: 'API keys and snippets',
  changes: 'Changes in this time',
  change: (number: number, words: string) => `${number}: ${words}`,
  by: (name: string) => `by ${name}`,
  more: (count: number) => plural(count, { one: 'and # earlier change', other: 'and # earlier changes' }),
};
