import type { Instance } from '../api/types.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { ErrorState } from '../ui/error-state.tsx';
import { Line, Note, Stack } from '../ui/layout.tsx';
import { ExternalLink, Link } from '../ui/link.tsx';
import { Card, Facts, PageHeader, Skeleton } from '../ui/surface.tsx';
import { HealthCard } from './health-card.tsx';
import { LimitsCard } from './limits-card.tsx';
import { MailCard } from './mail-card.tsx';
import { t } from './messages.ts';
import { useInstance } from './use-instance.ts';

/** The server: for everybody what it is and allows, for admins also how it does. */
export function InstancePage() {
  const { role, hrefTo } = useScope();
  usePage(t.title, [{ label: t.settings, href: hrefTo('settings') }]);
  const { instance, problem, retry } = useInstance();
  const isAdmin = role === 'admin';
  return (
    <>
      <PageHeader
        title={t.title}
        intro={t.intro}
        {...(!isAdmin && { meta: <Note tone="faint">{t.onlyAdmins}</Note> })}
      />
      {problem ? (
        <ErrorState problem={problem} onRetry={retry} />
      ) : (
        <Stack gap="far">
          <AboutCard instance={instance} />
          {isAdmin && <HealthCard />}
          {isAdmin && <MailCard />}
          <LimitsCard limits={instance?.rate_limits} />
        </Stack>
      )}
    </>
  );
}

function AboutCard({ instance }: { readonly instance: Instance | undefined }) {
  if (instance === undefined)
    return (
      <Card title={t.about}>
        <Skeleton lines={4} />
      </Card>
    );
  const { version, mode, registration } = instance;
  return (
    <Card title={t.about}>
      <Facts
        facts={[
          [t.version, <code key="version">{version}</code>],
          [
            t.mode,
            <Line key="mode">
              {mode} <Link href="/settings/modes">{t.modeNote}</Link>
            </Line>,
          ],
          [t.registration, t.registrations[registration]],
          [
            t.address,
            <Line key="address">
              <code>{`${location.origin}/api/v1`}</code>
              <ExternalLink href="/docs">{t.documentation}</ExternalLink>
            </Line>,
          ],
        ]}
      />
    </Card>
  );
}
