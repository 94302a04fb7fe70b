import { globSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

// Which modules share a file. Few files compress better and load faster than many, but no page waits for what it does
// not show: least the sign-in page and the flag list.

const source = join(import.meta.dirname, 'src', '/');

interface Graph {
  readonly getModuleInfo: (id: string) => { readonly importedIds: readonly string[] } | null;
}

/** Tells which of our modules the files import, directly or not. A dynamic import does not count. */
function loadedBy(files: readonly string[]): (id: string, graph: Graph) => boolean {
  let modules: Set<string> | undefined;
  return (id, graph) => {
    if (modules === undefined) {
      modules = new Set();
      for (const file of files) addImports(modules, join(source, file), graph);
    }
    return modules.has(id);
  };
}

function addImports(modules: Set<string>, id: string, graph: Graph): void {
  if (modules.has(id) || !id.startsWith(source)) return;
  modules.add(id);
  for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) addImports(modules, imported, graph);
}

/** A chunk of what the files load, with the parts of packages that it uses. */
function chunkOf(name: string, files: readonly string[]) {
  const isLoaded = loadedBy(files);
  return (id: string, graph: Graph) => (isLoaded(id, graph) ? name : null);
}

/** Features whose pages people open one after the other. Each other feature has files of its own. */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  organization: ['settings', 'members', 'service-accounts', 'api-keys', 'projects', 'environments'],
  person: ['profile', 'sessions', 'personal-tokens'],
  operation: ['webhooks', 'instance', 'transfer', 'freezes'],
};

/** Folders that are no feature. */
const ROOMS = /^(app|ui|api|i18n)$/;
const isLoadedByPage = loadedBy(globSync('*/**/*-page.tsx', { cwd: source }));

/** A chunk for the pages of a feature, and one for its dialogs, which most visits do not open. */
function chunkOfFeature(id: string, graph: Graph): string | null {
  if (!id.startsWith(source)) return null;
  const feature = relative(source, id).split(sep)[0]!;
  if (ROOMS.test(feature)) return null;
  const [name = feature] = Object.entries(TOGETHER).find(([, features]) => features.includes(feature)) ?? [];
  return isLoadedByPage(id, graph) ? name : `${name}-dialogs`;
}

/** The groups of `codeSplitting`. A module goes into the first that takes it. */
export const chunkGroups = [
  { name: chunkOf('sign-in', ['main.tsx', 'app/account/sign-in-page.tsx']), priority: 4 },
  {
    // What every page of a project loads, and the flag list, which most people see first.
    name: chunkOf('frame', [
      'app/project-frame.tsx',
      'flags/flags-page.tsx',
      ...globSync('*/use-*-badge.ts', { cwd: source }),
    ]),
    priority: 3,
    test: /\/src\/(?!flags\/)/,
  },
  {
    // What several pages load, by the pages that load it.
    name: 'shared',
    priority: 2,
    test: /node_modules|\/src\/(ui|i18n|api|app)\//,
    minShareCount: 2,
    entriesAware: true,
    entriesAwareMergeThreshold: 5000,
  },
  { name: chunkOfFeature, priority: 1 },
];
