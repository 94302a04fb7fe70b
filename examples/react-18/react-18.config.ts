import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = join(import.meta.dirname, '..', '..');
const conditions = ['@flagsvc/source', 'node', 'module', 'import', 'default'];
const require = createRequire(import.meta.url);
const own = (name: string) => dirname(require.resolve(`${name}/package.json`));

/** The tests of sdk-react, with React 18 in the place of React 19, for what they import as well. */
export default defineConfig({
  root,
  resolve: {
    conditions,
    alias: [
      // Its module form, since Vite looks into that: the other one would find React 19 by itself.
      {
        find: /^@testing-library\/react$/,
        replacement: join(
          dirname(require.resolve('@testing-library/react')),
          '@testing-library/react.esm.js',
        ),
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
