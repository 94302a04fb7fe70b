import { toProblem } from '../api/problem.ts';
import type { AuditEntry } from '../api/types.ts';
import { actionWords, changeLines } from '../app/change-words/change-lines.ts';
import { useMemberNames } from '../app/scope/use-member-names.ts';
import { Person } from '../ui/badge.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Drawer } from '../ui/dialog.tsx';
import { Diff } from '../ui/diff.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { Facts, Skeleton } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { actorName, isProgram } from './audit-words.ts';
import { t } from './messages.ts';
import { useAuditEntry } from './use-audit-log.ts';

/** One change in full, beside the list. */
export function AuditDetails({
  id,
  onClose,
}: {
  readonly id: string | undefined;
  readonly onClose: () => void;
}) {
  const { data, error, refetch } = useAuditEntry(id);
  return (
    <Drawer
      isOpen={id !== undefined}
      onClose={onClose}
      title={data ? actionWords(data) : t.details}
      intro={data?.resource.key ?? undefined}
      foot={<CopyButton text={location.href}>{t.link}</CopyButton>}
    >
      {data ? (
        <Entry entry={data} />
      ) : error ? (
        <ErrorState problem={toProblem(error)} onRetry={() => void refetch()} />
      ) : (
        <Skeleton />
      )}
    </Drawer>
  );
}

function Entry({ entry }: { readonly entry: AuditEntry }) {
  const { comment, timestamp, via, request_id: request, ip } = entry;
  const nameOf = useMemberNames();
  const lines = changeLines(entry, nameOf);
  return (
    <Stack gap="far">
      {lines.length > 0 ? <Diff isPlain lines={lines} /> : <Note tone="muted">{t.noFields}</Note>}
      <Facts
        facts={[
          [
            t.by,
            <Person
              key="by"
              name={nameOf(entry.actor.id) ?? actorName(entry)}
              isProgram={isProgram(entry)}
            />,
          ],
          [t.at, <Time key="at" at={timestamp} kind="moment" />],
          [t.how, t.via[via]],
          ...(comment === null ? [] : [[t.comment, comment] as const]),
          ...(ip === null ? [] : [[t.address, ip] as const]),
          ...(request === null ? [] : [[t.request, <code key="request">{request}</code>] as const]),
        ]}
      />
    </Stack>
  );
}
