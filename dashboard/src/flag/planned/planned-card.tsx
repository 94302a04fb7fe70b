import { lazy, Suspense, useState } from 'react';
import { useRights } from '../../app/scope/use-rights.ts';
import { IconButton } from '../../ui/button.tsx';
import { Note, Stack } from '../../ui/layout.tsx';
import { Card, Skeleton } from '../../ui/surface.tsx';
import type { Names } from '../rules/rule-sentence.tsx';
import { type Place, useFlag, usePlaces } from '../use-flag.ts';
import { t } from './messages.ts';
import { PlannedItem } from './planned-item.tsx';
import { useCancelWithUndo } from './use-cancel-with-undo.ts';
import { type Planned, usePlanned } from './use-planned.ts';

const NewPlan = lazy(async () => ({ default: (await import('./new-plan.tsx')).NewPlan }));
const EditPlan = lazy(async () => ({ default: (await import('./edit-plan.tsx')).EditPlan }));
const RunDialog = lazy(async () => ({ default: (await import('./run-dialog.tsx')).RunDialog }));

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' | 'run'; readonly planned: Planned; readonly place: Place };

/** What is still to come on this flag, in all environments, and what did not run. */
export function PlannedCard(props: {
  readonly place: Place;
  readonly names: Names;
  readonly breakGlass: string | undefined;
  readonly canEdit: boolean;
}) {
  const { place, names, breakGlass, canEdit } = props;
  const { data, isError } = usePlanned(place.flag);
  const { places } = usePlaces(useFlag().query.data ?? []);
  const { whyNot } = useRights();
  const [open, setOpen] = useState<Open>();
  const cancel = useCancelWithUndo();
  const close = () => setOpen(undefined);
  return (
    <Card
      title={t.title}
      end={
        canEdit && <IconButton icon="plus" label={t.add} isSmall onPress={() => setOpen({ kind: 'new' })} />
      }
    >
      <Stack>
        {data === undefined && !isError && <Skeleton lines={2} label={t.loading} />}
        {data?.length === 0 && (
          <Stack gap="close">
            <Note tone="muted">{t.none}</Note>
            {canEdit && (
              <Note tone="faint" isSmall>
                {t.noneHelp}
              </Note>
            )}
          </Stack>
        )}
        {data?.map((planned) => {
          const there = places.find(({ environment }) => environment.id === planned.environment_id);
          if (there === undefined) return null;
          const mayChange = there.flag.status !== 'archived' && whyNot(there.environment) === undefined;
          return (
            <PlannedItem
              key={planned.id}
              planned={planned}
              place={there}
              names={names}
              {...(mayChange && {
                onEdit: () => setOpen({ kind: 'edit', planned, place: there }),
                onRun: () => setOpen({ kind: 'run', planned, place: there }),
                onCancel: () => void cancel(planned),
              })}
            />
          );
        })}
      </Stack>
      <Suspense>
        {open?.kind === 'new' && (
          <NewPlan place={place} names={names} breakGlass={breakGlass} onClose={close} />
        )}
        {open?.kind === 'edit' && (
          <EditPlan place={open.place} names={names} planned={open.planned} onClose={close} />
        )}
        {open?.kind === 'run' && (
          <RunDialog place={open.place} names={names} planned={open.planned} onClose={close} />
        )}
      </Suspense>
    </Card>
  );
}
