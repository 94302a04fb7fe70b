/** The size of the edge entry point, which uses none of Node's modules. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundle, expectWithin } from '../../scripts/weight.ts';

const folder = join(import.meta.dirname, '..');

test.each([
  // The goal is 10,100. A readable table of operators and readable parts of a pattern cost 200 bytes of the difference,
  // and experiments 730: ranges and gates, units of exposures and track events, and causes of lost events.
  { name: 'the edge entry point', entryPoints: ['edge'], gate: 11_050, libraries: /^$/ },
  {
    name: 'the edge entry point with streaming',
    entryPoints: ['edge', 'streaming'],
    gate: 13_450,
    libraries: /\/eventsource-parser\//,
  },
])(
  '$name stays within its limit of bytes, and contains neither Node modules nor unneeded libraries',
  async ({ name, entryPoints, gate, libraries }) => {
    const contents = entryPoints.map((entry) => `export * from './src/${entry}.ts';`).join('');
    const { bytes, inputs } = await bundle(contents, folder, { platform: 'neutral' });
    expectWithin(`sdk-node, ${name}`, bytes, gate);
    const own = /^((\.\.\/sdk-core\/)?src\/|<stdin>)/;
    expect(inputs.filter((file) => !own.test(file) && !libraries.test(file))).toEqual([]);
  },
);
