import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { unwrap } from '../api/client.ts';
import type { Flag } from '../api/types.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import type { Choices } from './rules/condition-editor.tsx';
import { SEGMENT } from './rules/condition-words.ts';
import type { Config } from './rules/config.ts';
import type { Names } from './rules/rule-sentence.tsx';
import { seriesOf } from './state-words.ts';

const USUAL = ['user_key', 'country', 'plan', 'email', 'app_version', 'platform'];

/** What the fields of a rule offer, and how variations and segments are called. */
export function useChoices(flag: Flag, config: Config): { readonly choices: Choices; readonly names: Names } {
  const api = useApi();
  const { project } = useScope();
  const { data: segments = [] } = useQuery({
    queryKey: ['segment', project.id, 'choices'],
    staleTime: 60_000,
    queryFn: async () => {
      const params = { path: { project_id: project.id }, query: { per_page: 200 } };
      return (await unwrap(api.GET('/api/v1/projects/{project_id}/segments', { params }))).data;
    },
  });
  return useMemo(() => {
    const used = [...config.rules, ...segments].flatMap(({ conditions }) =>
      conditions.map(({ attribute }) => attribute),
    );
    const attributes = [...new Set([...used, ...USUAL])].filter((name) => name !== SEGMENT && name !== '');
    const names: Names = {
      variation: (key) => flag.variations.find((one) => one.key === key)?.name || key,
      series: seriesOf(flag),
      segment: (key) => segments.find((one) => one.key === key)?.name || key,
    };
    return { choices: { attributes: attributes.toSorted(), segments }, names };
  }, [flag, config.rules, segments]);
}
