import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { outlookOf } from '../../app/changes/outlook.ts';
import { type Attempt, attemptHeaders, useChange } from '../../app/changes/use-change.ts';
import { useApi } from '../../app/services.ts';
import type { Place } from '../use-flag.ts';
import { useFreeze } from '../use-freeze.ts';
import type { Promotion } from './promotion.ts';

const PATH = '/api/v1/flags/{flag_id}/promote';

/** Two environments of one flag. */
export interface Pair {
  readonly source: Place;
  readonly target: Place;
}

const bodyOf = ({ source, target }: Pair, { include, keepsRules }: Promotion) => ({
  source_environment_id: source.environment.id,
  target_environment_ids: [target.environment.id],
  include: [...include],
  strategy: keepsRules ? ('merge_rules' as const) : ('replace' as const),
});

/** What the server would answer: warnings, and the refusal of a freeze. */
export function usePromotionOutlook(pair: Pair, promotion: Promotion, breakGlass: string | undefined) {
  const api = useApi();
  const { environment, flag } = pair.target;
  const frozenBy = useFreeze(environment, flag)?.window.id;
  return useQuery({
    queryKey: [
      'flag',
      flag.id,
      'promotion',
      pair.source.flag.revision,
      flag.revision,
      bodyOf(pair, promotion),
      breakGlass,
      frozenBy,
    ],
    enabled: promotion.include.length > 0,
    queryFn: async () => {
      const params = {
        path: { flag_id: flag.id },
        query: { dry_run: true },
        header: attemptHeaders({ breakGlass }),
      };
      const body = { ...bodyOf(pair, promotion), comment: 'dry run' };
      return outlookOf(await unwrap(api.POST(PATH, { params, body })));
    },
  });
}

/** Copies the chosen parts. */
export function usePromote(pair: Pair) {
  const api = useApi();
  return useChange({
    send: (promotion: Promotion, attempt: Attempt) => {
      const params = { path: { flag_id: pair.target.flag.id }, header: attemptHeaders(attempt) };
      const body = { ...bodyOf(pair, promotion), ...(attempt.comment && { comment: attempt.comment }) };
      return unwrap(api.POST(PATH, { params, body }));
    },
    outdates: ['flag', 'audit'],
  });
}
