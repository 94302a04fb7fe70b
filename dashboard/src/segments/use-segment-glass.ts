import type { BreakGlass } from '../api/types.ts';
import { useGlass } from '../app/changes/use-glass.ts';
import { useScope } from '../app/scope/use-scope.ts';

/** My open break-glass session that covers a segment, which belongs to every environment of the project. */
export function useSegmentGlass(): BreakGlass | undefined {
  const { project, environments } = useScope();
  return useGlass(
    ({ environment_ids: held, project_ids: projects, flag_ids: flags }) =>
      flags === null && (projects.includes(project.id) || environments.every(({ id }) => held.includes(id))),
  );
}
