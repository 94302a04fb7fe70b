/** `npm run pack`: packs all packages into `dist/`, and shows how to install them in another project. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { publicPackages } from './release/public-packages.ts';
import { packForUsers } from './release/tarballs.ts';

const folder: string = join(import.meta.dirname, '..', 'dist');
mkdirSync(folder, { recursive: true });
const tarballs = packForUsers(publicPackages(), folder);
for (const { name, tarball } of tarballs) console.log(`${name.padEnd(26)} ${tarball}`);
const [core, node] = ['sdk-core', 'sdk-node'].map((wanted) => join(folder, `${wanted}.tgz`));
console.log(
  `\nIn your project, install a package together with those it needs:\n  npm install ${core} ${node}`,
);
