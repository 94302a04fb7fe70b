/**
 * Generates reference-server/generated/ from the server's routes: the document that it serves at `/openapi.json`, and
 * TypeScript types of that document for the command line.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildServer, openDatabase } from '@flagsvc/reference-server';
import { createRateLimiter } from '@flagsvc/reference-server/data-plane';
import manifest from '@flagsvc/reference-server/package.json' with { type: 'json' };
import openapiTypes, { astToString } from 'openapi-typescript';

const folder = join(import.meta.dirname, '..', 'reference-server', 'generated');
const document = await servedDocument();
mkdirSync(folder, { recursive: true });
writeIfChanged('openapi.json', document);
writeIfChanged('openapi.d.ts', astToString(await openapiTypes(document, { immutable: true })));

/** Leaves an unchanged file alone, since a type check may be reading it. */
function writeIfChanged(name: string, text: string): void {
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
