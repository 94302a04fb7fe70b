import { delivery } from './0001-delivery.ts';
import { functions } from './0001-functions.ts';
import { governance } from './0001-governance.ts';
import { people } from './0001-people.ts';
import { projects } from './0001-projects.ts';

/**
 * The schema that SQLite's migrations had produced when PostgreSQL was added (decisions/0039). Released migrations are
 * never edited; each change is a new file, for both engines.
 */
export const schema: readonly string[] = [...people, ...projects, ...governance, ...delivery, ...functions];
