import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createImportGraph } from './import-graph.ts';
import { rooms } from './packages.mjs';
import { resolveImport, root, shippedSources } from './sources.ts';

const sources = shippedSources();

const CHAIN_MAX = 10;
const graph = createImportGraph(sources);

describe('imports', () => {
  test('form no cycle, including type imports', () => {
    expect(graph.cycles({ types: false })).toEqual([]);
    expect(graph.cycles({ types: true })).toEqual([]);
  });

  test.each(rooms)('%s has no import chain of more than 10 files', (name) => {
    const chain = graph.longestChain(name);
    expect(chain.length, chain.join(' > ')).toBeLessThanOrEqual(CHAIN_MAX);
  });
});

describe('files and functions', () => {
  test('files have at most 400 lines, with a median of 80', () => {
    const lines = sources.map((source) => source.lines).sort((a, b) => a - b);
    expect(
      sources.filter((source) => source.lines > 400).map(({ path, lines: count }) => `${path}: ${count}`),
    ).toEqual([]);
    expect(lines[Math.floor(lines.length * 0.5)]).toBeLessThanOrEqual(80);
    expect(lines[Math.floor(lines.length * 0.9)]).toBeLessThanOrEqual(250);
  });

  test('functions have at most 80 lines, factories 150', () => {
    const broken = sources.flatMap(({ path, functions }) =>
      functions
        .filter(
          ({ name, lines }) =>
            lines > (/^(create|build|register|wire|use|define)|Plugin$|Routes$/.test(name) ? 150 : 80),
        )
        .map(({ name, lines }) => `${path} ${name}: ${lines} lines`),
    );
    expect(broken).toEqual([]);
  });

  test('functions take at most three positional parameters', () => {
    const broken = sources.flatMap(({ path, functions }) =>
      functions
        .filter(({ parameters }) => parameters > 3)
        .map(({ name, parameters }) => `${path} ${name}: ${parameters} parameters`),
    );
    expect(broken).toEqual([]);
  });

  test.each(rooms)('the top of %s/src has only entry points of the package', (name) => {
    const manifest = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8')) as {
      exports: object;
    };
    const entries = new Set(
      [...JSON.stringify(manifest.exports).matchAll(/"\.\/(?:src|dist)\/([\w-]+)\.(?:tsx?|js)"/g)].map(
        ([, entry]) => entry,
      ),
    );
    const loose = sources
      .map(({ path }) => new RegExp(`^${name}/src/([^/]+)\\.tsx?$`).exec(path)?.[1])
      .filter((file) => file !== undefined && !entries.has(file));
    expect(loose).toEqual([]);
  });
});

describe('folders of the server', () => {
  /** Folders from which the files of each folder may import, including types. */
  const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
    process: [
      'operator',
      'app',
      'nodes',
      'dashboard',
      'telemetry',
      'control-plane',
      'http',
      'outbound',
      'storage',
      'lib',
    ],
    operator: ['app', 'control-plane', 'publishing', 'storage', 'lib'],
    nodes: ['app', 'control-plane', 'http', 'storage', 'lib'],
    app: [
      'telemetry',
      'control-plane',
      'publishing',
      'data-plane',
      'openapi',
      'outbound',
      'http',
      'storage',
      'lib',
    ],
    telemetry: ['control-plane', 'publishing', 'data-plane', 'outbound', 'http', 'storage', 'lib'],
    'control-plane': ['publishing', 'data-plane', 'outbound', 'http', 'storage', 'lib'],
    publishing: ['data-plane', 'http', 'storage', 'lib'],
    openapi: ['control-plane', 'http', 'lib'],
    'data-plane': ['http', 'lib'],
    outbound: ['lib'],
    http: ['lib'],
    storage: ['lib'],
    dashboard: ['http', 'lib'],
    cli: ['lib'],
    lib: [],
  };
  const SRC = 'reference-server/src/';
  const roomOf = (path: string): string => path.slice(SRC.length).split('/')[0]!;
  const files = sources.filter(({ path }) => path.startsWith(SRC) && path.slice(SRC.length).includes('/'));

  test('are those listed in this test', () => {
    expect([...new Set(files.map(({ path }) => roomOf(path)))].sort()).toEqual(
      Object.keys(MAY_IMPORT).sort(),
    );
  });

  test('import only downwards', () => {
    const broken = files.flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => resolveImport(path, specifier))
        .filter((target) => target.startsWith(SRC) && roomOf(target) !== roomOf(path))
        .filter((target) => !MAY_IMPORT[roomOf(path)]!.includes(roomOf(target)))
        .map((target) => `${path} imports ${target}`),
    );
    expect(broken).toEqual([]);
  });
});
