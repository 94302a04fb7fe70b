import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import type { BreakGlass } from '../api/types.ts';
import { attemptHeaders, useChange } from '../app/changes/use-change.ts';
import { useMemberNames } from '../app/scope/use-member-names.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { formatMoment, toMs } from '../i18n/format-time.ts';
import { Button } from '../ui/button.tsx';
import { RadioGroup } from '../ui/choice.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { Card } from '../ui/surface.tsx';
import { TextArea } from '../ui/text-field.tsx';
import { Time } from '../ui/time.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';

/** After this time without a review a session is overdue. */
const REVIEW_WITHIN_MS = 72 * 3_600_000;

type Outcome = NonNullable<BreakGlass['review']>['outcome'];

/** The judgement of another admin: the form, the recorded answer, or why there is no form. */
export function ReviewCard({ session }: { readonly session: BreakGlass }) {
  const { me } = useScope();
  const nameOf = useMemberNames();
  const { review, status, opened_by: person, closed_at: closedAt } = session;
  if (review)
    return (
      <Card title={t.sessionPage.reviewedBy(nameOf(review.by.id) ?? review.by.email)}>
        <Stack gap="close">
          <Note tone={review.outcome === 'justified' ? 'good' : 'bad'} isStrong>
            {review.outcome === 'justified' ? t.sessionPage.justified : t.sessionPage.notJustified}
          </Note>
          <p>{review.note}</p>
          <Note tone="faint" isSmall>
            <Time at={review.at} />
          </Note>
        </Stack>
      </Card>
    );
  const due = closedAt && formatMoment(new Date(toMs(closedAt) + REVIEW_WITHIN_MS).toISOString());
  return (
    <Card title={t.sessionPage.reviewTitle}>
      <Stack>
        {due && <Note tone={status === 'overdue' ? 'bad' : 'muted'}>{t.sessionPage.due(due)}</Note>}
        {status === 'open' ? (
          <p>{t.sessionPage.still}</p>
        ) : person.id === me.id ? (
          <p>{t.sessionPage.own}</p>
        ) : (
          <ReviewForm session={session} />
        )}
      </Stack>
    </Card>
  );
}

function ReviewForm({ session }: { readonly session: BreakGlass }) {
  const api = useApi();
  const [outcome, setOutcome] = useState<Outcome>('justified');
  const [note, setNote] = useState('');
  const change = useChange({
    send: (body: { outcome: Outcome; note: string }, attempt) =>
      unwrap(
        api.POST('/api/v1/break-glass/{break_glass_id}/review', {
          params: {
            path: { break_glass_id: session.id },
            query: { dry_run: attempt.dryRun ?? false },
            header: attemptHeaders(attempt),
          },
          body,
        }),
      ),
    outdates: ['break_glass', 'audit'],
    onSaved: () => showToast(t.sessionPage.recorded),
  });
  return (
    <Form onSubmit={() => void (note.trim() !== '' && change.save({ outcome, note }))}>
      <p>{t.sessionPage.reviewIntro}</p>
      <RadioGroup
        label={t.sessionPage.reviewTitle}
        isLabelHidden
        choices={[
          { id: 'justified', label: t.sessionPage.justified },
          { id: 'not_justified', label: t.sessionPage.notJustified },
        ]}
        value={outcome}
        onChange={setOutcome}
      />
      <TextArea
        label={t.sessionPage.note}
        help={t.sessionPage.noteHelp}
        value={note}
        onChange={setNote}
        maxLength={2_000}
        isRequired
      />
      {change.problem && <ErrorState problem={change.problem} />}
      <Button
        kind="main"
        type="submit"
        isPending={change.state === 'saving'}
        whyNot={note.trim() === '' ? t.sessionPage.noteFirst : undefined}
      >
        {t.sessionPage.send}
      </Button>
    </Form>
  );
}
