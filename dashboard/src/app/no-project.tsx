import { Outlet, useLocation } from '@tanstack/react-router';
import type { Me, Project } from '../api/types.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Line, Note, Push } from '../ui/layout.tsx';
import { EmptyState } from '../ui/surface.tsx';
import { NotFoundPage } from './errors/error-page.tsx';
import { t } from './messages.ts';
import styles from './no-project.module.css';
import { ScopeContext } from './scope/use-scope.ts';
import { useSignOut } from './session/use-sign-out.ts';

const PROFILE = '/settings/profile';
const NOWHERE = { id: '', key: '', name: '' } as Project;

/** What a person sees who can open no project: why, and the settings that need none. */
export function NoProject() {
  return (
    <EmptyState
      icon="flag"
      title={t.noProject.title}
      actions={
        <>
          <ButtonLink href={PROFILE}>{t.noProject.settings}</ButtonLink>
          <SignOut />
        </>
      }
    >
      {t.noProject.text}
    </EmptyState>
  );
}

function SignOut() {
  const signOut = useSignOut();
  return (
    <Button kind="quiet" onPress={signOut}>
      {t.noProject.signOut}
    </Button>
  );
}

/** The settings of a person who can open no project; any other address names nothing. */
export function PageWithoutProject({ me }: { readonly me: Me | undefined }) {
  const { pathname } = useLocation();
  const organization = me?.organizations[0];
  if (!me || !organization || !pathname.startsWith('/settings')) return <NotFoundPage />;
  const scope = {
    ...{ me, organization, role: organization.role, environment: undefined },
    ...{ project: NOWHERE, projects: [], environments: [] },
    hrefTo: (path: string) => (path.startsWith('/') ? path : '/'),
  };
  return (
    <ScopeContext.Provider value={scope}>
      <main className={styles.page}>
        <Line>
          <Note tone="muted">{t.noProject.title}</Note>
          <Push>
            <SignOut />
          </Push>
        </Line>
        <Outlet />
      </main>
    </ScopeContext.Provider>
  );
}
