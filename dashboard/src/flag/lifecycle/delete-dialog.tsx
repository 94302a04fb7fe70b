import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { unwrap } from '../../api/client.ts';
import { type ApiProblem, toProblem } from '../../api/problem.ts';
import type { Flag } from '../../api/types.ts';
import { outlookOf } from '../../app/changes/outlook.ts';
import { Refusal } from '../../app/changes/refusal.tsx';
import { type Attempt, attemptHeaders } from '../../app/changes/use-change.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { useApi } from '../../app/services.ts';
import { TypedConfirmation } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Stack } from '../../ui/layout.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { Place } from '../use-flag.ts';
import { useFlagGlass } from '../use-freeze.ts';
import { t } from './messages.ts';

const PasswordDialog = lazy(async () => ({
  default: (await import('../../app/reauthenticate/password-dialog.tsx')).PasswordDialog,
}));

/** Deletes an archived flag for ever: the key is typed, and the password given where the login is not recent. */
export function DeleteDialog({ place, onClose }: { readonly place: Place; readonly onClose: () => void }) {
  const { flag } = place;
  const send = useSend(place);
  const leave = useLeave(flag);
  const [problem, setProblem] = useState<ApiProblem>();
  const [isPending, setPending] = useState(false);
  const outlook = useQuery({
    queryKey: ['flag', flag.id, 'step', 'delete', flag.revision],
    staleTime: 0,
    gcTime: 0,
    queryFn: async () => outlookOf(await send({ dryRun: true })),
  });
  const planned = outlook.error ? toProblem(outlook.error) : undefined;
  const run = async () => {
    setPending(true);
    try {
      await send({});
      leave();
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setPending(false);
    }
  };
  const shown = problem ?? planned;
  const refusal = outlook.data?.refusal;
  if (shown?.code === 'REAUTHENTICATION_REQUIRED')
    return (
      <Suspense>
        <PasswordDialog
          title={t.delete.title(flag.name)}
          intro={t.password}
          action={t.continue}
          run={async () => {
            // Once the key was typed, the password is the last question.
            if (problem) await send({}).then(leave);
            else await outlook.refetch({ throwOnError: true });
          }}
          onClose={onClose}
        />
      </Suspense>
    );
  return (
    <TypedConfirmation
      isOpen
      onClose={onClose}
      title={t.delete.title(flag.name)}
      expected={flag.key}
      action={t.delete.action}
      onAction={() => void run()}
      isPending={isPending}
      whyNot={refusal?.message}
    >
      <Stack>
        <p>{t.delete.text}</p>
        {refusal && <Refusal refusal={refusal} />}
        {shown && !refusal && <ErrorState problem={shown} kept={t.keptState} />}
      </Stack>
    </TypedConfirmation>
  );
}

function useSend({ environment, flag }: Place) {
  const api = useApi();
  const { id, key } = flag;
  const glass = useFlagGlass(environment, flag);
  return (attempt: Attempt) =>
    unwrap(
      api.DELETE('/api/v1/flags/{flag_id}/permanent', {
        params: {
          path: { flag_id: id },
          query: { confirm_key: key, dry_run: attempt.dryRun ?? false },
          header: attemptHeaders({ ...attempt, breakGlass: glass?.id }),
        },
      }),
    );
}

/** The page of a deleted flag shows nothing: the list takes its place. */
function useLeave({ name }: Flag) {
  const { hrefTo } = useScope();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return () => {
    showToast(t.delete.done(name));
    void navigate({ to: hrefTo('flags') }).then(() => queries.invalidateQueries({ queryKey: ['flag'] }));
  };
}
