import { type FieldError, invalid } from '../../../http/errors.ts';
import type { NewSnapshot } from './code-reference-schemas.ts';
import type { Place } from './code-reference-store.ts';
import { checkUrlTemplate } from './url-template.ts';

/** Whoever has made one fault of a kind has made a thousand; this many are told. */
const TOLD_MAX = 20;

/** The places of a snapshot, each once. Throws VALIDATION_ERROR, which names each faulty reference and its field. */
export function readSnapshot({ url_template, references }: NewSnapshot): readonly Place[] {
  if (url_template != null) checkUrlTemplate(url_template);
  const faults: FieldError[] = [];
  const places = new Map<string, Place>();
  for (const [index, { flag_key, path, line, column = 0, context_hash = null }] of references.entries()) {
    const message = pathFault(path);
    if (message !== undefined) {
      faults.push({ field: `references.${index}.path`, location: 'body', code: 'path', message });
      if (faults.length === TOLD_MAX) break;
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
  if (/\p{Cc}/u.test(path)) return 'must hold no control characters';
  if (path.includes('\\')) return 'must be written with /, not with \\';
  if (path.startsWith('/')) return 'must begin at the root of the repository, without /';
  const isOut = path.split('/').some((segment) => segment === '' || segment === '.' || segment === '..');
  return isOut ? 'must hold no empty segment, no "." and no ".."' : undefined;
}
