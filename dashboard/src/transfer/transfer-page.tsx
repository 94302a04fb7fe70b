import { usePage } from '../app/navigation/use-page.ts';
import { useRights } from '../app/scope/use-rights.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Stack } from '../ui/layout.tsx';
import { PageHeader } from '../ui/surface.tsx';
import { ExportCard } from './export-card.tsx';
import { ImportCard } from './import-card.tsx';
import { t } from './messages.ts';

/** The project as a file, and back. */
export function TransferPage() {
  const { project, hrefTo } = useScope();
  usePage(t.title, [{ label: t.settings, href: hrefTo('settings') }]);
  const { canEdit } = useRights();
  return (
    <>
      <PageHeader title={t.title} intro={t.intro(project.name)} />
      <Stack gap="far">
        <ExportCard />
        <ImportCard key={project.id} canEdit={canEdit} />
      </Stack>
    </>
  );
}
