/** `build-page.ts <app> <folder>`: builds a Vite app from the sources of the packages into a folder. */
import { join } from 'node:path';
import { build, defaultClientConditions } from 'vite';
import { root } from './settings.ts';

const [app, outDir] = process.argv.slice(2);
const appRoot = join(root, app!);
await build({
  root: appRoot,
  configFile: join(appRoot, 'vite.config.ts'),
  logLevel: 'error',
  resolve: { conditions: ['@flagsvc/source', ...defaultClientConditions] },
  build: { outDir: outDir! },
});
