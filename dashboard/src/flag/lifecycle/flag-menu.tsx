import { lazy, Suspense, useState } from 'react';
import { useRights } from '../../app/scope/use-rights.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { IconButton } from '../../ui/button.tsx';
import type { IconName } from '../../ui/icon-paths.ts';
import { Menu } from '../../ui/menu.tsx';
import type { MenuEntry } from '../../ui/menu-entry.ts';
import { useSharedBlock } from '../details/use-shared-block.ts';
import type { Edit } from '../rules/use-edit.ts';
import type { Place } from '../use-flag.ts';
import { t } from './messages.ts';
import { type Step, stepsOf } from './steps.ts';

const DetailsDrawer = lazy(async () => ({
  default: (await import('../details/details-drawer.tsx')).DetailsDrawer,
}));
const StepDialog = lazy(async () => ({ default: (await import('./step-dialog.tsx')).StepDialog }));
const DeleteDialog = lazy(async () => ({ default: (await import('./delete-dialog.tsx')).DeleteDialog }));

const ICONS: Readonly<Record<Step, IconName>> = {
  activate: 'power',
  'mark-stale': 'broom',
  'unmark-stale': 'check',
  archive: 'download',
  restore: 'undo',
  delete: 'trash',
};

/** Everything that can be done with the flag as a whole. What the person may not do is there, with the reason. */
export function FlagMenu({ place, edit }: { readonly place: Place; readonly edit: Edit }) {
  const { flag } = place;
  const [open, setOpen] = useState<Step | 'details'>();
  const sharedBlock = useSharedBlock(flag);
  const whyNotOf = useStepBlock(place, edit);
  const { canEdit } = useRights();
  if (!canEdit) return null;
  const entry = (step: Step): MenuEntry => {
    const whyNot = whyNotOf(step);
    return {
      id: step,
      label: `${t[step].entry}…`,
      icon: ICONS[step],
      note: whyNot,
      isDisabled: whyNot !== undefined,
      isDanger: step === 'delete',
      run: () => setOpen(step),
    };
  };
  const details: MenuEntry = {
    id: 'details',
    label: t.edit,
    icon: 'pencil',
    note: sharedBlock,
    isDisabled: sharedBlock !== undefined,
    run: () => setOpen('details'),
  };
  const close = () => setOpen(undefined);
  return (
    <>
      <Menu label={t.menu} groups={[{ entries: [details] }, { entries: stepsOf(flag.status).map(entry) }]}>
        <IconButton icon="dots" kind="plain" label={t.menu} />
      </Menu>
      <Suspense>
        {open === 'details' ? (
          <DetailsDrawer place={place} edit={edit} onClose={close} />
        ) : open === 'delete' ? (
          <DeleteDialog place={place} onClose={close} />
        ) : (
          open !== undefined && <StepDialog step={open} place={place} onClose={close} />
        )}
      </Suspense>
    </>
  );
}

/** Why a step cannot be taken now; undefined when it can. */
function useStepBlock({ flag }: Place, edit: Edit): (step: Step) => string | undefined {
  const { role, environments } = useScope();
  const { whyNot } = useRights();
  const missing = environments.map((one) => whyNot(one)).find((why) => why !== undefined);
  return (step) => {
    if (step === 'delete') {
      if (role !== 'admin') return t.adminOnly;
      return flag.status === 'archived' ? undefined : t.archiveFirst;
    }
    if (missing !== undefined) return missing;
    return step === 'archive' && edit.count > 0 ? t.unsaved : undefined;
  };
}
