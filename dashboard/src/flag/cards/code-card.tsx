import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import type { Flag } from '../../api/types.ts';
import { useApi } from '../../app/services.ts';
import { Line, Note, Stack } from '../../ui/layout.tsx';
import { ExternalLink } from '../../ui/link.tsx';
import { Card } from '../../ui/surface.tsx';
import { Time } from '../../ui/time.tsx';
import { t } from '../messages.ts';

const SHOWN = 5;

/** Where code names the flag, from the last scan. */
export function CodeCard({ flag }: { readonly flag: Flag }) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['code_reference', flag.id],
    staleTime: 60_000,
    queryFn: async () => {
      const params = { path: { flag_id: flag.id }, query: { per_page: SHOWN } };
      return unwrap(api.GET('/api/v1/flags/{flag_id}/code-references', { params }));
    },
  });
  const [first] = data?.data ?? [];
  const more = (data?.meta.total ?? 0) - (data?.data.length ?? 0);
  return (
    <Card
      title={t.code.title}
      end={
        first && (
          <Note tone="faint" isSmall>
            {first.branch}, <Time at={first.updated_at} />
          </Note>
        )
      }
    >
      <Stack gap="close">
        {data?.data.length === 0 && <Note tone="muted">{t.code.none}</Note>}
        {data?.data.map(({ repository, path, line, url }) => (
          <Line key={`${repository} ${path} ${line}`}>
            {url === null ? (
              <code>
                {path}:{line}
              </code>
            ) : (
              <ExternalLink href={url}>
                <code>
                  {path}:{line}
                </code>
              </ExternalLink>
            )}
          </Line>
        ))}
        {more > 0 && (
          <Note tone="faint" isSmall>
            {t.code.more(more)}
          </Note>
        )}
      </Stack>
    </Card>
  );
}
