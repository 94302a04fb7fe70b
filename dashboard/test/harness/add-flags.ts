import type { Shop } from './start-shop.ts';

const WAIT_SECONDS = 120;

/** Adds drafts named "Many 0000" and so on; a freeze blocks others. An import, since thousands of calls take minutes. */
export async function addFlags({ api, projectId }: Shop, count: number): Promise<void> {
  const admin = await api('admin');
  const flags = Array.from({ length: count }, (_, n) => ({
    key: `many-${n}`,
    name: `Many ${String(n).padStart(4, '0')}`,
    flag_type: 'boolean',
    status: 'draft',
    tags: [`t${n % 40}`],
    variations: [
      { key: 'on', name: 'On', value: true },
      { key: 'off', name: 'Off', value: false },
    ],
    default_variation: 'off',
    environments: {},
  }));
  const document = { apiVersion: 'flagsvc/v1', kind: 'Project', flags };
  const { id } = await admin.unchecked.imports.create(projectId, { document });
  const headers = { prefer: `wait=${WAIT_SECONDS}` };
  const { status } = await admin.unchecked.imports.apply(id, {}, { headers });
  if (status !== 'applied') throw new Error(`The flags could not be added: ${status}`);
}
