import type { ProjectDocument } from '../src/control-plane/features/imports/document.ts';
import type { Api } from './api.ts';
import type { Body } from './api-call.ts';
import { booleanFlag } from './server.ts';

export type ImportBody = Body<'POST /projects/{project_id}/imports'>;

/** A boolean flag as a project document describes it. */
export const documentFlag = (key: string, more: object = {}) => ({
  key,
  flag_type: 'boolean',
  variations: [
    { key: 'on', value: true },
    { key: 'off', value: false },
  ],
  default_variation: 'off',
  ...more,
});

/** A project document with these flags. */
export const documentOf = (flags: readonly object[], more: object = {}) => ({
  apiVersion: 'flagsvc/v1',
  kind: 'Project',
  flags,
  ...more,
});

/** Exports and imports projects for a test. */
export type Imports = ReturnType<typeof createImports>;

export function createImports(api: Api) {
  const plan = (projectId: string, document: ImportBody['document'], more: Partial<ImportBody> = {}) =>
    api.imports.create(projectId, { document, ...more });
  /** Applies an import and waits until it has finished. */
  const apply = (importId: string) => api.imports.apply(importId, {}, { headers: { prefer: 'wait=20' } });
  return {
    plan,
    apply,
    /** Plans and applies an import. */
    async run(projectId: string, document: ImportBody['document'], more: Partial<ImportBody> = {}) {
      const planned = await plan(projectId, document, more);
      return { planned, applied: await apply(planned.id) };
    },
    /** The document of a project; `query` begins with `?`. */
    exportProject: async (projectId: string, query = ''): Promise<ProjectDocument> =>
      (await api.raw({ url: `/projects/${projectId}/export${query}` })).body,
    async newProject(key: string) {
      const { id, default_environment_id } = await api.projects.create({ key, name: key });
      return { id, default_environment_id: default_environment_id! };
    },
  };
}

/** Fills a project with a segment, the flag `base`, and the flag `colour`, which has rules in production. */
export async function fillProject(api: Api, projectId: string): Promise<void> {
  await api.segments.create(projectId, {
    key: 'staff',
    conditions: [{ attribute: 'email', operator: 'contains', value: '@example.com' }],
    tags: ['people'],
  });
  await api.flags.create(booleanFlag('base', { tags: ['t'] }));
  const colour = await api.flags.create({
    key: 'colour',
    name: 'Colour',
    description: 'Button colour',
    flag_type: 'string',
    variations: [
      { key: 'red', name: 'Red', value: 'yes' },
      { key: 'blue', name: 'Blue', value: '0123' },
    ],
    default_variation: 'red',
    classification: 'experiment',
    expected_end_at: '2027-01-01T00:00:00.000Z',
  });
  await api.flags.update(colour.id, {
    targeting_rules: [
      {
        priority: 1,
        name: 'staff',
        conditions: [{ attribute: '$segment', operator: 'one_of', value: ['staff'] }],
        variation: 'blue',
      },
      { priority: 2, name: '', conditions: [], percentage_rollout: [{ variation: 'blue', percentage: 20 }] },
    ],
    prerequisites: [{ flag_key: 'base', variation: 'on' }],
  });
  await api.flags.toggle(colour.id, true);
}
