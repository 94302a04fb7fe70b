import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { unwrap } from '../../api/client.ts';
import { useScope } from '../scope/use-scope.ts';
import { useApi } from '../services.ts';
import { type Condition, SEGMENT } from './condition.ts';
import type { Choices } from './condition-editor.tsx';

const USUAL = ['user_key', 'country', 'plan', 'email', 'app_version', 'platform'];

/** The segments of the project, and the attributes that `conditions`, segments and most applications use. */
export function useConditionChoices(conditions: readonly Condition[]): Choices & {
  readonly segments: NonNullable<Choices['segments']>;
} {
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
    const used = [...conditions, ...segments.flatMap((one) => one.conditions)];
    const names = new Set([...used.map(({ attribute }) => attribute), ...USUAL]);
    const attributes = [...names].filter((name) => name !== SEGMENT && name !== '').toSorted();
    return { attributes, segments };
  }, [conditions, segments]);
}
