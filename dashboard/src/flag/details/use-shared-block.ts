import type { Flag } from '../../api/types.ts';
import { useRights } from '../../app/scope/use-rights.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { t as page } from '../messages.ts';
import { t } from './messages.ts';

/** Why the person may not change what all environments share; undefined when they may. */
export function useSharedBlock({ status, environment_id }: Pick<Flag, 'status' | 'environment_id'>) {
  const { environments } = useScope();
  const { canEdit, whyNot } = useRights();
  if (status === 'archived') return page.card.archived;
  // No environment serves a draft, so that rights in one suffice.
  const concerned =
    status === 'draft' ? environments.filter(({ id }) => id === environment_id) : environments;
  const missing = concerned.find((one) => whyNot(one) !== undefined);
  if (missing === undefined) return undefined;
  return canEdit && status !== 'draft' ? t.keptFromShared(missing.name) : whyNot(missing);
}
