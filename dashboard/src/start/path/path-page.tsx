import { type ReactNode, useState } from 'react';
import { useLeaveGuard } from '../../app/navigation/use-leave-guard.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { AlertDialog } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Line, Note } from '../../ui/layout.tsx';
import { Link } from '../../ui/link.tsx';
import { Notice, PageHeader, Skeleton } from '../../ui/surface.tsx';
import { AppStep } from './app-step.tsx';
import { FlagStep } from './flag-step.tsx';
import { KeyStep, type MadeKey } from './key-step.tsx';
import { t } from './messages.ts';
import styles from './path.module.css';
import { Step } from './step.tsx';
import { SwitchStep } from './switch-step.tsx';
import { type PathFacts, stepsDone, usePath } from './use-path.ts';

/** The way to the first app, in five steps. Each knows from the API whether it is done. */
export function PathPage({ onLeave }: { readonly onLeave: () => void }) {
  const { facts, problem, retry } = usePath();
  const done = facts ? stepsDone(facts) : [];
  const count = done.filter(Boolean).length;
  return (
    <div className={styles.narrow}>
      <PageHeader
        title={t.title}
        intro={t.intro}
        actions={
          <Line>
            {facts && (
              <Note tone="faint">
                <span role="status">{t.done(count, done.length)}</span>
              </Note>
            )}
            <Button kind="quiet" onPress={onLeave}>
              {t.leave}
            </Button>
          </Line>
        }
      />
      {problem && <ErrorState problem={problem} onRetry={() => void retry()} />}
      {facts && count === done.length && <AllDone facts={facts} onLeave={onLeave} />}
      {facts && <Steps facts={facts} done={done} />}
      {facts === undefined && problem === undefined && <Skeleton lines={9} />}
    </div>
  );
}

function Steps({ facts, done }: { readonly facts: PathFacts; readonly done: readonly boolean[] }) {
  const { project, hrefTo } = useScope();
  const [chosen, setChosen] = useState<string>();
  const [made, setMade] = useState<MadeKey>();
  const [isCopied, setCopied] = useState(false);
  const guard = useLeaveGuard(made !== undefined && !isCopied);
  const { flags, environment } = facts;
  const flag =
    flags.find(({ key }) => key === chosen) ??
    flags.find((one) => one.flag_type === 'boolean' && hasRules(one, environment.id)) ??
    flags.find(({ flag_type }) => flag_type === 'boolean') ??
    flags[0];
  const current = done.indexOf(false);
  const shared = { facts, flag };
  const step = (
    index: number,
    title: string,
    parts: { readonly fact?: ReactNode; readonly more?: ReactNode },
  ) => (
    <Step number={index + 1} isDone={done[index]!} isCurrent={current === index} title={title} {...parts} />
  );
  const onMade = (key: MadeKey) => {
    setCopied(false);
    setMade(key);
  };
  return (
    <ol className={styles.path}>
      {step(0, t.project.title, { fact: project.name })}
      {step(1, t.flag.title, {
        fact: flag && <Link href={hrefTo(`flags/${flag.key}`)}>{flag.name}</Link>,
        more: (!done[1] || flags.length > 1) && (
          <FlagStep {...shared} isDone={done[1]!} onChoose={setChosen} />
        ),
      })}
      {step(2, t.key.title(environment.name), {
        more: done[1] && (
          <KeyStep facts={facts} made={made} onMade={onMade} onCopied={() => setCopied(true)} />
        ),
      })}
      {step(3, t.app.title, {
        fact: !done[3] && t.app.fact,
        more: done[2] && <AppStep {...shared} made={made} />,
      })}
      {step(4, t.switch.title, {
        more: done[2] && flag && <SwitchStep facts={facts} flag={flag} isSeen={done[3]!} />,
      })}
      <AlertDialog
        isOpen={guard.isAsking}
        onClose={guard.stay}
        title={t.key.leaveTitle}
        action={t.key.leaveAction}
        onAction={guard.leave}
        isDanger
      >
        {t.key.leave}
      </AlertDialog>
    </ol>
  );
}

const hasRules = ({ environments }: PathFacts['flags'][number], environmentId: string): boolean =>
  environments.some((place) => place.environment_id === environmentId && place.rules_count > 0);

function AllDone({ facts, onLeave }: { readonly facts: PathFacts; readonly onLeave: () => void }) {
  const { hrefTo } = useScope();
  const [flag] = facts.flags;
  return (
    <div className={styles.end}>
      <Notice
        tone="good"
        title={t.end.title}
        actions={
          <>
            <Button kind="main" onPress={onLeave}>
              {t.end.leave}
            </Button>
            {flag && <ButtonLink href={hrefTo(`flags/${flag.key}`)}>{t.end.rules}</ButtonLink>}
          </>
        }
      >
        {t.end.text}
      </Notice>
    </div>
  );
}
