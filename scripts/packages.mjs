// The packages of the repository, in the order in which they are built.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './ensure.mjs';

export const order = ['sdk-core', 'sdk-node', 'sdk-browser', 'sdk-react', 'reference-server', 'conformance'];

/** Packages that tsup builds. */
export const built = order.filter((name) => existsSync(join(root, name, 'tsup.config.ts')));

/** Packages whose declarations are written file by file; tsup bundles those of the others. */
export const declared = built.filter((name) => name.startsWith('sdk-'));

/** Apps that Vite builds, from the packages above. */
export const apps = ['examples/react-app'];

/** Every TypeScript project, for the type check. */
export function projects() {
  const folders = [
    ...order,
    'conformance/mutants',
    'conformance/runtimes',
    'scripts',
    'examples/quickstart',
    'examples/react-18',
    'examples/react-app',
    'examples/browser-page',
    'examples/server-plugin',
  ];
  return folders
    .flatMap((folder) => [`${folder}/tsconfig.json`, `${folder}/tsconfig.test.json`])
    .filter((file) => existsSync(join(root, file)));
}
