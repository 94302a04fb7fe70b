import type { HeaderList } from '../../http/header-list.ts';
import type { PublishedRuleset } from '../ports.ts';

const VARY = 'X-API-Key, Accept, Accept-Encoding';

/** The headers of both 200 and 304; `vary` names further request headers on which the answer depends. */
export function rulesetHeaders({ etag }: PublishedRuleset, vary?: string): HeaderList {
  return [
    'etag',
    etag,
    'cache-control',
    'private, no-cache',
    'vary',
    vary === undefined ? VARY : `${vary}, ${VARY}`,
  ];
}
