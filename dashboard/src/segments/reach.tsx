import { useScope } from '../app/scope/use-scope.ts';
import { formatAnd } from '../i18n/format-number.ts';
import { Notice } from '../ui/surface.tsx';
import { t } from './messages.ts';
import { useUsage } from './use-segments.ts';

/** Which flags ask for the segment, and where. */
export function Reach({ id }: { readonly id: string }) {
  const { environments } = useScope();
  const { data = [] } = useUsage(id);
  if (data.length === 0) return null;
  const ids = new Set(data.map((one) => one.environment_id));
  const names = environments.filter((one) => ids.has(one.id)).map(({ name }) => name);
  return (
    <Notice tone="warn" title={t.reaches(new Set(data.map((one) => one.flag_id)).size)}>
      {t.reachesText(formatAnd(names))}
    </Notice>
  );
}
