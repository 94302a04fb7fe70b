import { useState } from 'react';
import { PasswordDialog } from '../app/reauthenticate/password-dialog.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Line, Stack } from '../ui/layout.tsx';
import { Card, Facts, Notice } from '../ui/surface.tsx';
import { Time } from '../ui/time.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { useFactorActions, type useSecondFactor } from './use-second-factor.ts';

/** Recovery codes are few from here on. */
const FEW = 3;

/** The second factor that is on: since when, the recovery codes that are left, and what can be done. */
export function FactorCard(props: {
  readonly status: NonNullable<ReturnType<typeof useSecondFactor>['status']>;
  readonly onCodes: (codes: readonly string[]) => void;
}) {
  const { status, onCodes } = props;
  const [doing, setDoing] = useState<'renew' | 'turn-off'>();
  const { confirmed_at: since, recovery_codes_left: left, required } = status;
  return (
    <Card title={t.on.title} end={<Badge tone="good">{t.on.badge}</Badge>} foot={t.on.phone}>
      <Stack>
        <Facts
          facts={[
            [t.on.since, since !== null && <Time at={since} kind="moment" />],
            [t.on.left, t.on.leftCount(left)],
          ]}
        />
        {left <= FEW && (
          <Notice tone="warn" title={left === 0 ? t.on.noneTitle : t.on.fewTitle}>
            {left === 0 ? t.on.noneText : t.on.fewText}
          </Notice>
        )}
        <Line>
          <Button onPress={() => setDoing('renew')}>{t.on.renew}</Button>
          <Button onPress={() => setDoing('turn-off')}>{t.on.turnOff}</Button>
        </Line>
      </Stack>
      <FactorDialog
        doing={doing}
        isRequired={required}
        onClose={() => setDoing(undefined)}
        onCodes={onCodes}
      />
    </Card>
  );
}

function FactorDialog(props: {
  readonly doing: 'renew' | 'turn-off' | undefined;
  readonly isRequired: boolean;
  readonly onClose: () => void;
  readonly onCodes: (codes: readonly string[]) => void;
}) {
  const { doing, isRequired, onClose, onCodes } = props;
  const { renew, turnOff } = useFactorActions();
  if (doing === undefined) return null;
  if (doing === 'renew')
    return (
      <PasswordDialog
        {...t.renewing}
        hasSecondFactor
        onClose={onClose}
        run={async () => {
          const codes = await renew();
          onClose();
          onCodes(codes);
        }}
      />
    );
  return (
    <PasswordDialog
      title={t.turningOff.title}
      intro={t.turningOff.intro}
      action={t.turningOff.action}
      isDanger
      hasSecondFactor
      onClose={onClose}
      run={async () => {
        await turnOff();
        showToast(t.turningOff.done);
        onClose();
      }}
    >
      {isRequired && (
        <Notice tone="warn" title={t.required}>
          {t.requiredText}
        </Notice>
      )}
    </PasswordDialog>
  );
}
