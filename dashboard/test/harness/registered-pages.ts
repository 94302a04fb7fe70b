import { vi } from 'vitest';
import type { PageDefinition } from '../../src/app/page-definition.ts';

/** Every page of the built dashboard, from its registry: a page that is added later is visited without naming it. */
export async function registeredPages(): Promise<readonly PageDefinition[]> {
  // The built dashboard has no pages for developers.
  vi.stubEnv('DEV', false);
  const { allPages } = await import('../../src/app/all-pages.ts');
  vi.unstubAllEnvs();
  return allPages;
}

/** Pages of a project or of its settings; the others are for people without a session. */
export const isForMembers = ({ place }: PageDefinition): boolean => place !== 'account';
