import type { Flag } from '../../api/types.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { formatAnd } from '../../i18n/format-number.ts';
import { toMs } from '../../i18n/format-time.ts';
import { Note, Stack } from '../../ui/layout.tsx';
import { Link } from '../../ui/link.tsx';
import { Notice } from '../../ui/surface.tsx';
import { useNow } from '../../ui/time.tsx';
import { useCodeReferences } from '../use-code-references.ts';
import { useDependents } from '../use-dependents.ts';
import { useFlagNames } from '../use-flag-names.ts';
import { t } from './messages.ts';

const RECENT_MS = 7 * 86_400_000;

/** SDKs that asked for the flag in the last days, flags that need it, and code that names it. */
export function Footprint({ flag, flags }: { readonly flag: Flag; readonly flags: readonly Flag[] }) {
  const { environments, hrefTo } = useScope();
  const now = useNow(60_000);
  const dependents = useDependents(flag.id);
  const code = useCodeReferences(flag.id);
  const keys = [...new Set((dependents ?? []).map(({ flag_key }) => flag_key))];
  const nameOf = useFlagNames(keys);
  const recent = environments.filter(({ id }) => {
    const at = flags.find((one) => one.environment_id === id)?.last_evaluated_at ?? null;
    return at !== null && now - toMs(at) < RECENT_MS;
  });
  const places = code.data?.meta.total ?? 0;
  const isFree = recent.length === 0 && keys.length === 0 && places === 0;
  if (isFree) return dependents && code.data ? <Note tone="good">{t.nothing}</Note> : null;
  return (
    <Notice tone="warn" title={t.inUse}>
      <Stack gap="close">
        {recent.length > 0 && (
          <p>
            <b>{t.recent(formatAnd(recent.map(({ name }) => name)))}.</b> {t.recentText}
          </p>
        )}
        {keys.length > 0 && (
          <p>
            <b>{t.dependents(keys.length)}.</b> {t.dependentsText}{' '}
            {keys.map((key, index) => (
              <span key={key}>
                {index > 0 && ', '}
                <Link href={hrefTo(`flags/${key}`)}>{nameOf(key)}</Link>
              </span>
            ))}
          </p>
        )}
        {places > 0 && (
          <p>
            <b>{t.code(places)}.</b> {t.codeText}
          </p>
        )}
      </Stack>
    </Notice>
  );
}
