import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './sources.ts';

const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'));

/** An unnamed script compiles on the machine of a stranger, who may have no compiler, or makes npm warn. */
test('package.json keeps each package with an install script from running it', () => {
  const { packages } = read('package-lock.json') as {
    packages: Record<string, { hasInstallScript?: true }>;
  };
  const withScript = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.split('node_modules/').at(-1)!);
  const { allowScripts } = read('package.json') as { allowScripts: Record<string, boolean> };
  expect(Object.keys(allowScripts).sort()).toEqual([...new Set(withScript)].sort());
  expect(Object.values(allowScripts)).not.toContain(true);
});
