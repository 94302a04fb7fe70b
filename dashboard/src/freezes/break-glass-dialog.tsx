import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { fieldErrors, toProblem } from '../api/problem.ts';
import type { FreezeWindow } from '../api/types.ts';
import { useChange } from '../app/changes/use-change.ts';
import { useDraft } from '../app/drafts/use-draft.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { SegmentedControl } from '../ui/choice.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Columns, Note, Stack } from '../ui/layout.tsx';
import { ComboBox, Select } from '../ui/select.tsx';
import { TextArea, TextField } from '../ui/text-field.tsx';
import { useNow } from '../ui/time.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { useFlagOptions } from './use-flag-options.ts';
import { environmentsOf } from './window-words.ts';

const FORM = 'break-glass';
const MIN_LENGTH = 20;
const DURATIONS = ['15', '30', '60', '240'] as const;
type Duration = (typeof DURATIONS)[number];

interface GlassDraft {
  readonly justification: string;
  readonly incident: string;
}
/** In the place of an environment's id: the whole project, for what all environments share, such as segments. */
const PROJECT = 'project';
const EMPTY: GlassDraft = { justification: '', incident: '' };

/** Opens a session that may change what a freeze blocks: why, where, how long, and the password again. */
export function BreakGlassDialog(props: {
  readonly active: readonly FreezeWindow[];
  readonly isForProject: boolean;
  readonly onClose: () => void;
}) {
  const { active, isForProject, onClose } = props;
  const { environments, project } = useScope();
  const frozen = environments.filter((environment) =>
    active.some(({ scope }) => environmentsOf(scope, environments).includes(environment)),
  );
  const named = (frozen.length > 0 ? frozen : environments).map(({ id, name }) => ({ id, label: name }));
  const choices = [...named, { id: PROJECT, label: t.glass.project(project.name) }];
  const [place, setPlace] = useState(isForProject ? PROJECT : (named.at(-1)?.id ?? PROJECT));
  const form = useGlassForm(
    place === PROJECT ? { project_ids: [project.id] } : { environment_ids: [place] },
    onClose,
  );
  return (
    <Dialog
      isOpen
      isStubborn={form.isDirty}
      onClose={onClose}
      title={t.glass.title(choices.find(({ id }) => id === place)?.label ?? '')}
      intro={t.glass.intro}
      foot={
        <>
          <Button
            kind="danger"
            type="submit"
            form={FORM}
            isPending={form.isPending}
            whyNot={form.missing > 0 ? t.glass.tooShort(form.missing) : undefined}
          >
            {t.glass.action(t.glass.durations[form.duration])}
          </Button>
          <Button onPress={onClose}>{t.form.cancel}</Button>
        </>
      }
    >
      <Form id={FORM} onSubmit={form.submit} errors={form.errors}>
        {form.problem && <ErrorState problem={form.problem} />}
        <Select label={t.glass.environment} options={choices} value={place} onChange={setPlace} />
        <GlassFields form={form} />
      </Form>
    </Dialog>
  );
}

function GlassFields({ form }: { readonly form: ReturnType<typeof useGlassForm> }) {
  return (
    <>
      <TextArea
        label={t.glass.justification}
        name="justification"
        help={t.glass.justificationHelp}
        value={form.justification}
        onChange={form.setJustification}
        maxLength={2_000}
        autoFocus
      />
      <Columns kind="even">
        <TextField
          label={t.glass.incident}
          aside={<Note tone="faint">{t.glass.optional}</Note>}
          name="incident_ref"
          value={form.incident}
          onChange={form.setIncident}
          maxLength={100}
        />
        <FlagChoice value={form.flagId} onChange={form.setFlagId} />
      </Columns>
      <Stack gap="close">
        <Note isMedium>{t.glass.duration}</Note>
        <SegmentedControl
          label={t.glass.duration}
          choices={DURATIONS.map((id) => ({ id, label: t.glass.durations[id] }))}
          value={form.duration}
          onChange={form.setDuration}
        />
        <Note tone="faint" isSmall>
          {t.glass.until(form.endsAt)}
        </Note>
      </Stack>
      <TextField
        label={t.glass.password}
        name="password"
        type="password"
        autoComplete="current-password"
        value={form.password}
        onChange={form.setPassword}
        isRequired
      />
      {form.needsCode && (
        <TextField
          label={t.glass.code}
          name="code"
          autoComplete="one-time-code"
          inputMode="numeric"
          value={form.code}
          onChange={form.setCode}
        />
      )}
    </>
  );
}

function FlagChoice(props: {
  readonly value: string | undefined;
  readonly onChange: (id: string | undefined) => void;
}) {
  const { options, search } = useFlagOptions();
  return (
    <ComboBox
      label={t.glass.flags}
      placeholder={t.glass.anyFlag}
      options={options}
      onSearch={search}
      {...props}
    />
  );
}

/** What the dialog holds and sends. The reason survives a reload; the password does not. */
function useGlassForm(
  place: { readonly project_ids: string[] } | { readonly environment_ids: string[] },
  onClose: () => void,
) {
  const api = useApi();
  const now = useNow();
  const draft = useDraft<GlassDraft>('break-glass');
  const kept = draft.value ?? EMPTY;
  const [flagId, setFlagId] = useState<string>();
  const [duration, setDuration] = useState<Duration>('30');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const endsAt = clock(now + Number(duration) * 60_000);
  const change = useChange({
    send: async () => {
      const secret = { password, ...(code !== '' && { code }) };
      await unwrap(api.POST('/api/v1/auth/reauthenticate', { body: secret }));
      return unwrap(
        api.POST('/api/v1/break-glass', {
          body: {
            scope: {
              ...place,
              ...(flagId !== undefined && { flag_ids: [flagId] }),
            },
            justification: kept.justification,
            ...(kept.incident !== '' && { incident_ref: kept.incident }),
            duration_minutes: Number(duration),
          },
        }),
      );
    },
    outdates: ['break_glass', 'freeze', 'audit'],
    onSaved: () => {
      draft.clear();
      showToast(t.glass.done(endsAt));
      onClose();
    },
  });
  const problem = change.problem && toProblem(change.problem);
  return {
    ...kept,
    setJustification: (justification: string) => draft.set({ ...kept, justification }),
    setIncident: (incident: string) => draft.set({ ...kept, incident }),
    flagId,
    setFlagId,
    duration,
    setDuration,
    password,
    setPassword,
    code,
    setCode,
    endsAt,
    needsCode: code !== '' || problem?.code === 'INVALID_MFA_CODE',
    isDirty: kept !== EMPTY || password !== '',
    missing: Math.max(0, MIN_LENGTH - [...kept.justification.trim()].length),
    submit: () => void change.save(undefined),
    isPending: change.state === 'saving',
    problem: problem && problem.fields.length === 0 ? problem : undefined,
    errors: fieldErrors(problem),
  };
}

function clock(ms: number): string {
  return new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' }).format(ms);
}
