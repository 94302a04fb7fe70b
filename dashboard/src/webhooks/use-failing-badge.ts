import { useQuery } from '@tanstack/react-query';
import type { Badge } from '../app/page-definition.ts';
import type { Scope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { t } from './navigation.ts';
import { webhooksQuery } from './webhooks-query.ts';

/** How many webhooks fail, for admins, who alone can read them. */
export function useFailingBadge({ me }: Scope): Badge | undefined {
  const api = useApi();
  const { data = [] } = useQuery({ ...webhooksQuery(api), enabled: me.role === 'admin' });
  const count = data.filter(
    ({ failing_since: since, status }) => since !== null && status === 'enabled',
  ).length;
  return count === 0 ? undefined : { text: t.failing(count), tone: 'bad' };
}
