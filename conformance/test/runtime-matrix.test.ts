import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lastMeasurements, type Measurement, merge, toTable } from '../runtimes/matrix.ts';
import { pathOf } from './helpers.ts';

const row = (runtime: string, more: Partial<Measurement> = {}): Measurement => ({
  ...{ runtime, version: '1.0', engine: 'V8', vectors: 2583, rows: 10_000, answers: 'abc' },
  measured: '2026-11-01',
  ...more,
});

test('a runtime that is not installed or fails keeps its last measurement', () => {
  const last = [row('Node'), row('Firefox'), row('Bun')];
  const fresh = row('Node', { version: '2.0', vectors: 2600, measured: '2026-12-01' });
  const found = [
    { runtime: 'Bun', failed: 'regex-0001' },
    { runtime: 'Firefox', missing: 'not installed on this machine' },
    row('Deno'),
    fresh,
  ];
  expect(merge(last, found)).toEqual([fresh, row('Firefox'), row('Bun'), row('Deno')]);
});

test('each row shows its date and its number of vectors', () => {
  expect(toTable([row('Node'), row('Bun', { vectors: 9, measured: '2026-12-01' })])).toMatch(
    /\| Node +\| .* \| 2583 of 2583 \| .* \| 2026-11-01 \|\n\| Bun +\| .* \| 9 of 9 +\| .* \| 2026-12-01 \|\n$/,
  );
});

test('matrix.md shows the recorded measurements, and the root README their number', () => {
  const measured = lastMeasurements();
  expect(readFileSync(pathOf('runtimes/matrix.md'), 'utf8')).toBe(toTable(measured));
  const numbers = ['eleven', 'twelve', 'thirteen', 'fourteen', 'fifteen'];
  expect(readFileSync(pathOf('../README.md'), 'utf8')).toContain(
    `[${numbers[measured.length - 11]} runtimes]`,
  );
});
