import { delivery } from './0001-delivery.ts';
import { functions } from './0001-functions.ts';
import { governance } from './0001-governance.ts';
import { people } from './0001-people.ts';
import { projects } from './0001-projects.ts';

/**
 * What SQLite's migrations had come to when PostgreSQL joined it (decisions/0039). A released migration is never edited;
 * the next change is the next file, for both engines.
 */
export const schema: readonly string[] = [...people, ...projects, ...governance, ...delivery, ...functions];
