import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createGuards } from './create-guards.ts';

test('the README of the write gate lists the guards in the order in which they run', () => {
  const readme = readFileSync(new URL('../control-plane/write-gate/README.md', import.meta.url), 'utf8');
  const section = readme.split('## Guards')[1]!.split('\n## ')[0]!;
  const listed = [...section.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
  const guards = createGuards({ newId: () => 'id', sizeOf: () => undefined, bytesMax: 1 });
  expect(listed).toEqual(guards.map(({ name }) => name));
});
