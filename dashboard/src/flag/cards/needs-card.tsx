import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import type { Flag } from '../../api/types.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { useApi } from '../../app/services.ts';
import { Line, Note, Stack } from '../../ui/layout.tsx';
import { Link } from '../../ui/link.tsx';
import { Card } from '../../ui/surface.tsx';
import { t } from '../messages.ts';

/** The flags that must serve something first, and the flags that wait for this one. */
export function NeedsCard({ flag }: { readonly flag: Flag }) {
  const { hrefTo } = useScope();
  const dependents = useDependents(flag);
  return (
    <Card title={t.needs.title}>
      <Stack gap="close">
        {flag.prerequisites.map(({ flag_key: key, variation }) => (
          <Line key={key}>
            <Link href={hrefTo(`flags/${key}`)}>{key}</Link>
            <Note tone="muted">{t.needs.serves}</Note>
            <Note isStrong>{variation}</Note>
          </Line>
        ))}
        {flag.prerequisites.length === 0 && <Note tone="muted">{t.needs.none}</Note>}
        {dependents.length > 0 && (
          <Line>
            <Note tone="faint" isSmall>
              {t.needs.dependents(dependents.length)}
            </Note>
            {dependents.map((key) => (
              <Link key={key} href={hrefTo(`flags/${key}`)}>
                {key}
              </Link>
            ))}
          </Line>
        )}
      </Stack>
    </Card>
  );
}

/** Keys of the flags that need this one in the environment. */
function useDependents({ id, environment_id }: Flag): readonly string[] {
  const api = useApi();
  const { data = [] } = useQuery({
    queryKey: ['flag', id, 'dependents'],
    staleTime: 30_000,
    queryFn: async () => {
      const params = { path: { flag_id: id }, query: { per_page: 200 } };
      return (await unwrap(api.GET('/api/v1/flags/{flag_id}/dependents', { params }))).data;
    },
  });
  const here = data.filter((one) => one.environment_id === environment_id);
  return [...new Set(here.map(({ flag_key }) => flag_key))];
}
