import { useComment } from '../app/changes/use-comment.tsx';
import { useScope } from '../app/scope/use-scope.ts';

/** The reason for a change of a segment, which reaches every environment of the project. */
export function useSegmentComment() {
  const { environments } = useScope();
  return useComment({ isRequired: environments.some((one) => one.require_comment) });
}
