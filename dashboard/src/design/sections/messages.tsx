import { useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import { EnvironmentBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/copy.tsx';
import { AlertDialog, Dialog, Drawer, TypedConfirmation } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Line } from '../../ui/layout.tsx';
import { ConflictView, SaveBar } from '../../ui/save-bar.tsx';
import { Card, Notice } from '../../ui/surface.tsx';
import { showToast } from '../../ui/toast.tsx';

const lines = [
  { id: '1', what: 'Rule 2, country is one of', from: 'NL, BE', to: 'NL, BE, LU' },
  { id: '2', what: 'Rule 2, split', from: 'one-page 40 %', to: 'one-page 60 %' },
  { id: '3', what: 'Rule 4', words: 'moved from place 4 to 3' },
];
const unreachable = new ApiProblem({ status: 0, code: 'UNREACHABLE', message: 'Failed to fetch' });
const nothing = (): void => undefined;

/** Everything that speaks to the person. */
export function Messages() {
  return (
    <>
      <Notice title="You can look, not change">Mara and Sam can make you an editor.</Notice>
      <Notice tone="info" title="Worked out in this page">
        Nothing is sent.
      </Notice>
      <Notice tone="good" title="Arrived">
        All apps have revision 20.
      </Notice>
      <Notice tone="warn" title="Nobody gets here" actions={<Button isSmall>Move above rule 2</Button>}>
        Rule 2 takes everyone with plan pro and country NL first.
      </Notice>
      <ErrorState problem={unreachable} kept="Your 3 changes are kept in this tab." onRetry={nothing} />
      <SaveBar
        lines={lines}
        onUndo={nothing}
        onSave={nothing}
        onDiscard={nothing}
        place={<EnvironmentBadge environment={{ name: 'Staging', type: 'staging' }} />}
      />
      <ConflictView
        who="Aiko"
        fields={[
          { id: '1', what: 'Rule 2, split', theirs: { ...lines[1]!, to: 'one-page 50 %' }, mine: lines[1]! },
          { id: '2', what: 'Rule 2, country', mine: lines[0]! },
        ]}
        onSave={nothing}
        onTakeTheirs={nothing}
      />
      <CodeBlock title="Shell" code="npm install @flagsvc/sdk-node" />
      <Overlays />
    </>
  );
}

function Overlays() {
  const [open, setOpen] = useState<'dialog' | 'drawer' | 'alert' | 'typed'>();
  const close = (): void => setOpen(undefined);
  return (
    <Card title="Over the page">
      <Line>
        {(['dialog', 'drawer', 'alert', 'typed'] as const).map((one) => (
          <Button key={one} onPress={() => setOpen(one)}>
            {one}
          </Button>
        ))}
        <Button onPress={() => showToast('3 changes saved in Staging', nothing)}>toast</Button>
      </Line>
      <Dialog
        isOpen={open === 'dialog'}
        onClose={close}
        title="New window"
        intro="Nothing can change while it is active."
      >
        <p>The form.</p>
      </Dialog>
      <Drawer isOpen={open === 'drawer'} onClose={close} title="Flag updated">
        <p>The details.</p>
      </Drawer>
      <AlertDialog
        isOpen={open === 'alert'}
        onClose={close}
        title="Archive 3 flags"
        action="Archive 3 flags"
        onAction={close}
      >
        <p>Apps get their default values from now on.</p>
      </AlertDialog>
      <TypedConfirmation
        isOpen={open === 'typed'}
        onClose={close}
        title="Delete for ever"
        expected="checkout-v1"
        action="Delete checkout-v1"
        onAction={close}
      >
        <p>Its history is lost.</p>
      </TypedConfirmation>
    </Card>
  );
}
