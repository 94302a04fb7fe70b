import { useQueryClient } from '@tanstack/react-query';
import { unwrap } from '../api/client.ts';
import { fieldErrors } from '../api/problem.ts';
import { useChange } from '../app/changes/use-change.ts';
import { useDraft } from '../app/drafts/use-draft.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import { useTheme } from '../app/theme/theme.ts';
import { SegmentedControl } from '../ui/choice.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Line, Note, Stack } from '../ui/layout.tsx';
import { SaveBar } from '../ui/save-bar.tsx';
import { Card, PageHeader } from '../ui/surface.tsx';
import { TextField } from '../ui/text-field.tsx';
import { showToast } from '../ui/toast.tsx';
import { t } from './messages.ts';
import { PasswordCard } from './password-card.tsx';
import styles from './profile.module.css';

/** The person's name, theme and password. */
export function ProfilePage() {
  const { me, hrefTo } = useScope();
  usePage(t.title, [{ label: t.settings, href: hrefTo('settings') }]);
  const { name, draft, change, save } = useNameEdit();
  const isChanged = name !== me.full_name;
  return (
    <>
      <PageHeader title={t.title} intro={t.intro} />
      <Stack gap="far">
        <Card title={t.about} foot={t.zone(Intl.DateTimeFormat().resolvedOptions().timeZone)}>
          <div className={styles.narrow}>
            <Form onSubmit={save} errors={fieldErrors(change.problem)}>
              <TextField
                label={t.name}
                help={t.nameHelp}
                name="full_name"
                autoComplete="name"
                value={name}
                onChange={draft.set}
                maxLength={200}
              />
              <Stack gap="close">
                <Note isStrong>{t.email}</Note>
                <span className={styles.email}>{me.email}</span>
                <Note tone="faint" isSmall>
                  {t.emailHelp}
                </Note>
              </Stack>
            </Form>
          </div>
        </Card>
        <ThemeCard />
        <PasswordCard />
      </Stack>
      <SaveBar
        lines={
          isChanged ? [{ id: 'name', what: t.nameNow, from: me.full_name || undefined, to: name.trim() }] : []
        }
        onDiscard={draft.clear}
        onSave={save}
        isSaving={change.state === 'saving'}
      >
        {change.problem && <ErrorState problem={change.problem} kept={t.kept} />}
      </SaveBar>
    </>
  );
}

/** The name with what was typed on top, and how it is saved. */
function useNameEdit() {
  const api = useApi();
  const queries = useQueryClient();
  const { me } = useScope();
  const draft = useDraft<string>(`profile:${me.id}`);
  const name = draft.value ?? me.full_name;
  const change = useChange({
    send: (full_name: string) => unwrap(api.PATCH('/api/v1/auth/me', { body: { full_name } })),
    outdates: ['member', 'audit'],
  });
  const send = async (next: string): Promise<boolean> => {
    const answer = await change.save(next);
    await queries.invalidateQueries({ queryKey: ['me'] });
    return answer !== undefined;
  };
  const save = async (): Promise<void> => {
    const before = me.full_name;
    if (name.trim() === before) return draft.clear();
    if (!(await send(name.trim()))) return;
    draft.clear();
    showToast(t.saved, () => void send(before));
  };
  return { name, draft, change, save: () => void save() };
}

function ThemeCard() {
  const [theme, setTheme] = useTheme();
  return (
    <Card title={t.theme}>
      <Line isWide>
        <SegmentedControl label={t.theme} choices={t.themes} value={theme} onChange={setTheme} />
        <Note tone="faint" isSmall>
          {t.themeHelp}
        </Note>
      </Line>
    </Card>
  );
}
