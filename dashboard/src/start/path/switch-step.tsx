import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../../api/client.ts';
import type { Flag } from '../../api/types.ts';
import { useChange } from '../../app/changes/use-change.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { useApi } from '../../app/services.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Switch } from '../../ui/choice.tsx';
import { classes } from '../../ui/classes.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Line, Note, Stack } from '../../ui/layout.tsx';
import { Notice } from '../../ui/surface.tsx';
import type { ProjectFlag } from '../use-needs.ts';
import { t } from './messages.ts';
import styles from './path.module.css';
import { useFlagDetails } from './use-flag-details.ts';
import type { PathFacts } from './use-path.ts';

const WAIT_MS = 2_000;

/** Switches the flag, and shows when the app served the new state. */
export function SwitchStep(props: {
  readonly facts: PathFacts;
  readonly flag: ProjectFlag;
  readonly isSeen: boolean;
}) {
  const { facts, flag, isSeen } = props;
  const { environment } = facts;
  const { hrefTo } = useScope();
  const details = useFlagDetails(flag.id, environment.id);
  const mustAsk = environment.confirm_changes || environment.critical || environment.require_comment;
  if (details === undefined) return null;
  if (mustAsk)
    return (
      <Stack gap="close">
        <Note tone="muted">{t.switch.asks(environment.name)}</Note>
        <Line>
          <ButtonLink href={hrefTo(`flags/${flag.key}`, { rules: environment.key })}>
            {t.switch.open}
          </ButtonLink>
        </Line>
      </Stack>
    );
  if (!changesSomething(details)) return <NoRule facts={facts} flag={details} />;
  return <TheSwitch key={details.id} facts={facts} flag={details} isSeen={isSeen} />;
}

/** Whether apps get something else once the flag is on. */
function changesSomething({ targeting_rules: rules, default_variation: fallback }: Flag): boolean {
  return rules.some(
    ({ variation, percentage_rollout: shares }) =>
      shares !== undefined || (variation !== undefined && variation !== fallback),
  );
}

interface FlagProps {
  readonly facts: PathFacts;
  readonly flag: Flag;
}

function TheSwitch({ facts, flag, isSeen }: FlagProps & { readonly isSeen: boolean }) {
  const { environment } = facts;
  const api = useApi();
  const counts = useServed(flag, environment.id);
  /** How often each state was served before the last switch. */
  const [before, setBefore] = useState<Served>();
  const change = useChange({
    send: (enabled: boolean) =>
      unwrap(
        api.POST('/api/v1/flags/{flag_id}/toggle', {
          params: { path: { flag_id: flag.id }, query: { environment_id: environment.id } },
          body: { enabled },
        }),
      ),
    outdates: ['flag', 'audit'],
  });
  const isOn = flag.enabled;
  const side = isOn ? 'on' : 'off';
  const hasArrived = before !== undefined && counts !== undefined && counts[side] > before[side];
  return (
    <Stack gap="close">
      <Line isWide>
        <Switch
          label={t.switch.label(flag.name, environment.name)}
          isOn={isOn}
          onChange={(next) => {
            setBefore(counts ?? { on: 0, off: 0 });
            void change.save(next);
          }}
        >
          {isOn ? t.switch.on : t.switch.off}
        </Switch>
        <Note tone="muted">{isSeen ? t.switch.note(environment.name) : t.switch.first}</Note>
      </Line>
      {change.problem && <ErrorState problem={change.problem} kept={t.switch.kept} />}
      {before !== undefined && !change.problem && (
        <p className={classes(styles.beat, !hasArrived && styles.waiting)} role="status">
          {hasArrived ? <b>{t.switch.arrived(isOn)}</b> : isSeen ? t.switch.waiting : t.switch.notRunning}
        </p>
      )}
    </Stack>
  );
}

interface Served {
  readonly on: number;
  readonly off: number;
}

/** How often apps reported the flag while it was on, and while it was off. */
function useServed(flag: Flag, environmentId: string): Served | undefined {
  const api = useApi();
  return useQuery({
    queryKey: ['flag-metrics', flag.id, environmentId],
    refetchInterval: WAIT_MS,
    queryFn: async () => {
      const params = { path: { flag_id: flag.id }, query: { environment_id: environmentId } };
      const { counts } = (await unwrap(api.GET('/api/v1/flags/{flag_id}/metrics', { params }))).data;
      const sum = (isOff: boolean) =>
        counts
          .filter(({ reason }) => (reason === 'DISABLED') === isOff && reason !== 'FLAG_NOT_FOUND')
          .reduce((total, { count }) => total + count, 0);
      return { on: sum(false), off: sum(true) };
    },
  }).data;
}

/** A switch without a rule changes nothing, so the rule comes first. */
function NoRule({ facts: { environment }, flag }: FlagProps) {
  const api = useApi();
  const served = flag.variations.find(({ key }) => key !== flag.default_variation);
  const change = useChange({
    send: (variation: string) =>
      unwrap(
        api.PATCH('/api/v1/flags/{flag_id}', {
          params: { path: { flag_id: flag.id }, query: { environment_id: environment.id } },
          body: { instructions: [{ op: 'add_rule', rule: { name: '', conditions: [], variation } }] },
        }),
      ),
    outdates: ['flag', 'audit'],
  });
  if (served === undefined) return null;
  return (
    <Notice
      tone="info"
      title={t.switch.noRule}
      actions={
        <Button
          kind="main"
          isSmall
          isPending={change.state === 'saving'}
          onPress={() => void change.save(served.key)}
        >
          {t.switch.addRule(served.name || served.key)}
        </Button>
      }
    >
      {change.problem ? change.problem.message : t.switch.noRuleText(flag.name)}
    </Notice>
  );
}
