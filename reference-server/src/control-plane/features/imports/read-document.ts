import { load } from 'js-yaml';
import { Compile } from 'typebox/compile';
import { DEPTH_MAX } from '../../../http/body.ts';
import { explainIssues } from '../../../http/explain-issues.ts';
import { ProjectDocument } from './document.ts';
import { ERRORS_MAX, type ImportError, importInvalid } from './import-errors.ts';

export const IMPORT_FORMATS = ['flagsvc', 'flagd', 'launchdarkly', 'unleash', 'growthbook'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Parses JSON or YAML text; an object is taken as it is. Throws IMPORT_INVALID unless the result is a finite tree. */
export function parseDocument(input: unknown): unknown {
  const value = typeof input === 'string' ? parseText(input) : input;
  requireTree(value);
  return value;
}

/** Compiled for the first document. */
let validator: ReturnType<typeof Compile<typeof ProjectDocument>> | undefined;

/**
 * Checks a document against the schema, and checks that no list repeats a key. Throws IMPORT_INVALID. `toSource` maps a
 * path in the document to the source that it was read from; default: the document itself.
 */
export function checkDocument(
  document: unknown,
  toSource: (path: readonly string[]) => Pick<ImportError, 'path' | 'key'> = (path) => ({
    path: path.join('.'),
  }),
): ProjectDocument {
  validator ??= Compile(ProjectDocument);
  if (validator.Check(document)) {
    requireDistinctKeys(document);
    return document;
  }
  const errors: ImportError[] = [];
  for (const { instancePath, keyword, message, params } of explainIssues(
    ProjectDocument,
    validator.Errors(document),
  )) {
    if (errors.length >= ERRORS_MAX) break;
    const source = toSource(instancePath.slice(1).split('/'));
    errors.push({ ...source, code: keyword, message: message ?? 'is not valid', details: params as object });
  }
  throw importInvalid(errors);
}

/** JSON is also YAML, but parsing it as JSON is many times faster. */
function parseText(text: string): unknown {
  if (/^\s*\{/.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      // A YAML flow mapping starts like JSON.
    }
  }
  try {
    return load(text);
  } catch (error) {
    const { reason, mark } = error as { reason?: string; mark?: { line: number; column: number } };
    const details = mark === undefined ? {} : { line: mark.line + 1, column: mark.column + 1 };
    const message = reason ?? 'is neither JSON nor YAML';
    throw importInvalid([{ path: '', code: 'syntax', message, details }]);
  }
}

/** Refuses aliases: with them, a few bytes of YAML make a graph that takes forever to walk. */
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

function requireDistinctKeys(document: ProjectDocument): void {
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
