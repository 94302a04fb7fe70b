import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = join(import.meta.dirname, '..', '..');
const conditions = ['@flagsvc/source', 'node', 'module', 'import', 'default'];
const { resolve } = createRequire(import.meta.url);
/** The folder of a package that this package depends on. */
const own = (name: string) => dirname(resolve(`${name}/package.json`));

/** Runs the tests of sdk-react with React 18 instead of React 19. The tests' dependencies use React 18 too. */
export default defineConfig({
  root,
  resolve: {
    conditions,
    alias: [
      // The ES module, whose imports Vite resolves by these aliases. The CommonJS build would load React 19.
      {
        find: /^@testing-library\/react$/,
        replacement: join(dirname(resolve('@testing-library/react')), '@testing-library/react.esm.js'),
      },
      { find: /^react(?=\/|$)/, replacement: own('react') },
      { find: /^react-dom(?=\/|$)/, replacement: own('react-dom') },
    ],
  },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ['sdk-react/test/{matrix,hooks,ssr,testing}.test.tsx', 'examples/react-18/version.check.ts'],
    server: { deps: { inline: [/@testing-library\/react/] } },
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
  },
});
