import { useState } from 'react';
import type { Flag } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Line, Note, Stack } from '../../ui/layout.tsx';
import { ExternalLink } from '../../ui/link.tsx';
import { Card } from '../../ui/surface.tsx';
import { Time } from '../../ui/time.tsx';
import { t } from '../messages.ts';
import { useCodeReferences } from '../use-code-references.ts';

const MORE = 100;

/** Where code names the flag, from the last scan. */
export function CodeCard({ flag }: { readonly flag: Flag }) {
  const [count, setCount] = useState<number>();
  const { data } = useCodeReferences(flag.id, count);
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
        {more > 0 && count === undefined && (
          <div>
            <Button kind="text" onPress={() => setCount(MORE)}>
              {t.code.more(more)}
            </Button>
          </div>
        )}
        {more > 0 && count !== undefined && (
          <Note tone="faint" isSmall>
            {t.code.rest(more)}
          </Note>
        )}
      </Stack>
    </Card>
  );
}
