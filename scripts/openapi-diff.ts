/**
 * `npm run openapi:diff -- <old openapi.json> [<new>]`: what the new document, by default the one of this tree,
 * breaks. Ends with 1 if anything, and with 2 if that cannot be told.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { breakingChanges } from './openapi-diff/breaking-changes.ts';
import type { OpenApiDocument } from './openapi-diff/operations.ts';

const GENERATED = join(import.meta.dirname, '..', 'reference-server', 'generated', 'openapi.json');
const [before, after = GENERATED] = process.argv.slice(2);

if (before === undefined) {
  console.error('Compare with what? npm run openapi:diff -- <old openapi.json> [<new>]');
  process.exit(2);
}
const lines = breakingChanges(readDocument(before), readDocument(after));
for (const line of lines) console.log(line);
console.log(lines.length === 0 ? 'Nothing breaks.' : `Breaking changes: ${lines.length}.`);
process.exitCode = lines.length === 0 ? 0 : 1;

/** Its path is of where npm was called, which runs us at the root. */
function readDocument(path: string): OpenApiDocument {
  try {
    return JSON.parse(readFileSync(resolve(process.env['INIT_CWD'] ?? '.', path), 'utf8'));
  } catch (error) {
    console.error(`${path} cannot be read: ${(error as Error).message}`);
    process.exit(2);
  }
}
