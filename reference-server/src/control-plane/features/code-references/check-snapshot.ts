import { type FieldError, invalid } from '../../../http/errors.ts';
import type { NewSnapshot } from './code-reference-schemas.ts';
import type { Place } from './code-reference-store.ts';
import { checkUrlTemplate } from './url-template.ts';

/** Maximum number of faults in one answer. */
const FAULTS_MAX = 20;

/** The distinct places of a snapshot. Throws VALIDATION_ERROR, which names the faulty references. */
export function readSnapshot({ url_template, references }: NewSnapshot): readonly Place[] {
  if (url_template != null) checkUrlTemplate(url_template);
  const faults: FieldError[] = [];
  const places = new Map<string, Place>();
  for (const [index, { flag_key, path, line, column = 0, context_hash = null }] of references.entries()) {
    const message = pathFault(path);
    if (message !== undefined) {
      faults.push({ field: `references.${index}.path`, location: 'body', code: 'path', message });
      if (faults.length === FAULTS_MAX) break;
    }
    places.set(JSON.stringify([flag_key, path, line, column]), {
      flag_key,
      path,
      line,
      column,
      context_hash,
    });
  }
  if (faults.length > 0) throw invalid(...faults);
  return [...places.values()];
}

function pathFault(path: string): string | undefined {
  if (/\p{Cc}/u.test(path)) return 'must not contain control characters';
  if (path.includes('\\')) return 'must use / as separator, not \\';
  if (path.startsWith('/')) return 'must be relative to the root of the repository';
  const isOut = path.split('/').some((segment) => segment === '' || segment === '.' || segment === '..');
  return isOut ? 'must not contain an empty segment, "." or ".."' : undefined;
}
