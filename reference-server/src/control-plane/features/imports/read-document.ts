import { load } from 'js-yaml';
import { Compile } from 'typebox/compile';
import { DEPTH_MAX } from '../../../http/body.ts';
import { explainIssues } from '../../../http/explain-issues.ts';
import { ProjectDocument } from './document.ts';
import { flagdPlace, readFlagd } from './flagd/read-flagd.ts';
import { ERRORS_MAX, type ImportError, importInvalid } from './import-errors.ts';

export const IMPORT_FORMATS = ['flagsvc', 'flagd'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Made for the first document. */
let validator: ReturnType<typeof Compile<typeof ProjectDocument>> | undefined;

/** A document as text (JSON or YAML) or as an object, checked. Throws IMPORT_INVALID with the list of faults. */
export function readDocument(
  input: unknown,
  { format, environmentKeys }: { readonly format: ImportFormat; readonly environmentKeys: readonly string[] },
): { readonly document: ProjectDocument; readonly warnings: readonly string[] } {
  const value = typeof input === 'string' ? parseText(input) : input;
  requireTree(value);
  const { document, warnings } =
    format === 'flagd' ? readFlagd(value, environmentKeys) : { document: value, warnings: [] };
  validator ??= Compile(ProjectDocument);
  if (validator.Check(document)) {
    requireDistinct(document);
    return { document, warnings };
  }
  const errors: ImportError[] = [];
  for (const { instancePath, keyword, message, params } of explainIssues(
    ProjectDocument,
    validator.Errors(document),
  )) {
    if (errors.length >= ERRORS_MAX) break;
    const path = instancePath.slice(1).split('/');
    const place =
      format === 'flagd' ? flagdPlace(document as ProjectDocument, path) : { path: path.join('.') };
    errors.push({ ...place, code: keyword, message: message ?? 'is not valid', details: params as object });
  }
  throw importInvalid(errors);
}

/** JSON is YAML, but reading it as JSON is many times as fast. */
function parseText(text: string): unknown {
  if (/^\s*\{/.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      // A flow mapping of YAML begins like JSON.
    }
  }
  try {
    return load(text);
  } catch (error) {
    const { reason, mark } = error as { reason?: string; mark?: { line: number; column: number } };
    const where = mark === undefined ? {} : { line: mark.line + 1, column: mark.column + 1 };
    const message = reason ?? 'is neither JSON nor YAML';
    throw importInvalid([{ path: '', code: 'syntax', message, details: where }]);
  }
}

/** Aliases of YAML make graphs of a few bytes that are endless when they are walked: only trees are taken. */
function requireTree(root: unknown): void {
  const seen = new Set<object>();
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH_MAX) {
      throw importInvalid([
        { path: '', code: 'maxDepth', message: `must not be nested deeper than ${DEPTH_MAX}` },
      ]);
    }
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      if (seen.has(value)) {
        throw importInvalid([{ path: '', code: 'alias', message: 'must not use anchors and aliases' }]);
      }
      seen.add(value);
      for (const inner of Object.values(value)) next.push(inner);
    }
    level = next;
  }
}

function requireDistinct(document: ProjectDocument): void {
  const errors: ImportError[] = [];
  for (const list of ['environments', 'segments', 'flags'] as const) {
    const keys = new Set<string>();
    for (const [index, { key }] of (document[list] ?? []).entries()) {
      if (keys.has(key)) {
        errors.push({
          path: `${list}.${index}.key`,
          key,
          code: 'duplicate',
          message: 'must not repeat a key',
        });
      }
      keys.add(key);
    }
  }
  if (errors.length > 0) throw importInvalid(errors);
}
