/**
 * Generates reference-server/generated/ from the server's routes: the document that it serves at `/openapi.json`, and
 * TypeScript types of that document for the command line and the dashboard.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildServer, openDatabase } from '@flagsvc/reference-server';
import { createRateLimiter } from '@flagsvc/reference-server/data-plane';
import manifest from '@flagsvc/reference-server/package.json' with { type: 'json' };
import openapiTypes, { astToString } from 'openapi-typescript';

const root = join(import.meta.dirname, '..');
const document = await servedDocument();
writeIfChanged('reference-server', 'openapi.json', document);
writeIfChanged('reference-server', 'openapi.d.ts', await typesOf({ immutable: true }));
// openapi-fetch, which the dashboard uses, does not recognize readonly arrays.
writeIfChanged('dashboard', 'openapi.d.ts', await typesOf({ immutable: false }));

async function typesOf(options: { readonly immutable: boolean }): Promise<string> {
  return astToString(await openapiTypes(document, options));
}

/** Leaves an unchanged file alone, since a type check may be reading it. */
function writeIfChanged(workspace: string, name: string, text: string): void {
  const folder = join(root, workspace, 'generated');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}

async function servedDocument(): Promise<string> {
  const db = await openDatabase('sqlite::memory:');
  const app = await buildServer({
    db,
    jwtSecretKey: 'document-jwt-secret-key-of-32-characters',
    apiSecretKey: 'document-api-secret-key-of-32-characters',
    limiter: createRateLimiter(),
    version: manifest.version,
  });
  const { body } = await app.inject('/openapi.json');
  await app.close();
  await db.destroy();
  return body;
}
