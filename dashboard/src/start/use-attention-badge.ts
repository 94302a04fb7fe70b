import { useQuery } from '@tanstack/react-query';
import type { Badge } from '../app/page-definition.ts';
import type { Scope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { formatNumber } from '../i18n/format-number.ts';
import { attentionQuery, countNeeds } from './attention.ts';

/** How many things need the person. */
export function useAttentionBadge(scope: Scope): Badge | undefined {
  const { data } = useQuery(attentionQuery(useApi(), scope));
  const count = data === undefined ? 0 : countNeeds(data);
  return count === 0 ? undefined : { text: formatNumber(count), tone: 'warn' };
}
