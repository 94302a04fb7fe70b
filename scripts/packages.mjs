// The packages of the repository, in the order in which they are built.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './ensure.mjs';

export const order = [
  ...['sdk-core', 'sdk-node', 'sdk-browser', 'sdk-react', 'reference-server', 'relay-proxy', 'conformance'],
];

/** Workspaces whose sources follow the rules of packages. The dashboard is built by Vite. */
export const rooms = [...order, 'dashboard'];

/** Packages built by tsup. */
export const built = order.filter((name) => existsSync(join(root, name, 'tsup.config.ts')));

/** Packages with one declaration file per source file; tsup bundles the declarations of the other packages. */
export const declared = built.filter((name) => name.startsWith('sdk-'));

/** Apps built by Vite from the packages. */
export const apps = ['dashboard', 'examples/react-app'];

/** Paths of all TypeScript projects. */
export function projects() {
  const folders = [
    ...rooms,
    'conformance/mutants',
    'conformance/runtimes',
    'scripts',
    'examples/quickstart',
    'examples/react-18',
    'examples/react-app',
    'examples/browser-page',
    'examples/relay',
    'examples/server-plugin',
  ];
  return folders
    .flatMap((folder) => [`${folder}/tsconfig.json`, `${folder}/tsconfig.test.json`])
    .filter((file) => existsSync(join(root, file)));
}
