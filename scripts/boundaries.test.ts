import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createImportGraph } from './import-graph.ts';
import { resolveImport, root, shippedSources, trackedFiles } from './sources.ts';

const sources = shippedSources();
const graph = createImportGraph(sources);
const inFolder = (folder: string) => sources.filter(({ path }) => path.startsWith(`${folder}/`));

/** Packages that each folder may import at run time. The most specific folder applies. */
const MAY_USE: Readonly<Record<string, readonly RegExp[]>> = {
  'sdk-core/src': [],
  'sdk-node/src': [/^@flagsvc\/sdk-core(\/|$)/, /^eventsource-parser$/, /^node:/, /^@openfeature\//],
  'sdk-browser/src': [
    /^@flagsvc\/sdk-core(\/|$)/,
    /^eventsource-parser$/,
    /^@openfeature\//,
    /^@playwright\/test$/,
  ],
  // Entry points import each other by name, so that all share one React context.
  'sdk-react/src': [
    /^react$/,
    /^react\//,
    /^@flagsvc\/sdk-core(\/(client|testing))?$/,
    /^@flagsvc\/sdk-react(\/testing)?$/,
  ],
  'reference-server/src': [
    /^(?!@flagsvc\/)/,
    /^@flagsvc\/sdk-core(\/(rule-index|msgpack|openfeature|unit-shares))?$/,
  ],
  'reference-server/src/data-plane': [
    /^(?!@flagsvc\/|better-sqlite3|kysely)/,
    /^@flagsvc\/sdk-core(\/(rule-index|msgpack|openfeature))?$/,
  ],
  // A relay that imported more of the server would bring its control plane and its database.
  'relay-proxy/src': [
    /^node:/,
    /^@flagsvc\/(sdk-core\/client|sdk-node\/atomic-file|reference-server\/data-plane)$/,
    /^(eventsource-parser|prom-client)$/,
  ],
  'conformance/src': [/^(?!@flagsvc\/)/],
  'dashboard/src': [
    /^react(-dom|-aria-components)?(\/|$)/,
    /^@tanstack\/react-(query|router)$/,
    /^(openapi-fetch|eventsource-parser|uqr|@internationalized\/date)(\/|$)/,
    /^@flagsvc\/sdk-core(\/|$)/,
  ],
};

function roomOf(path: string): string {
  const fitting = Object.keys(MAY_USE).filter((folder) => path.startsWith(`${folder}/`));
  return fitting.sort((a, b) => b.length - a.length)[0]!;
}

describe('imports', () => {
  test('every folder imports only allowed packages', () => {
    const broken = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier, isType }) => !isType && !specifier.startsWith('.'))
        .filter(({ specifier }) => !MAY_USE[roomOf(path)]!.some((allowed) => allowed.test(specifier)))
        .map(({ specifier }) => `${path} imports ${specifier}`),
    );
    expect(broken).toEqual([]);
  });

  test('no package imports files of another package by path', () => {
    const broken = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier }) => specifier.startsWith('.'))
        .filter(({ specifier }) => resolveImport(path, specifier).split('/')[0] !== path.split('/')[0])
        .map(({ specifier }) => `${path} imports ${specifier}`),
    );
    expect(broken).toEqual([]);
  });

  test('the evaluator does not import the client', () => {
    const reached = graph.reachableFrom('sdk-core/src/index.ts');
    expect([...reached].filter((path) => path.includes('/client') || path.includes('/testing'))).toEqual([]);
  });

  test('the data plane imports neither storage nor control plane nor publishing', () => {
    const reached = [...graph.reachableFrom('reference-server/src/data-plane/plugin.ts')];
    expect(reached.filter((path) => /\/(storage|control-plane|publishing)\//.test(path))).toEqual([]);
  });

  test('a host of the data plane loads neither the control plane nor a database', () => {
    const reached = [...graph.reachableFrom('reference-server/src/data-plane.ts')];
    expect(reached.filter((path) => /\/(storage|control-plane|openapi|cli)\//.test(path))).toEqual([]);
    const packages = reached
      .flatMap((path) => sources.find((source) => source.path === path)!.imports)
      .filter(({ isType, specifier }) => !isType && !/^(\.|node:|@flagsvc\/)/.test(specifier))
      .map(({ specifier }) => specifier);
    expect([...new Set(packages)].sort()).toEqual([
      '@fastify/cors',
      '@msgpack/msgpack',
      'fastify',
      'ipaddr.js',
      'pino',
      'typebox',
      'typebox/compile',
    ]);
  });

  test('only serving-path.ts imports from the fast path', () => {
    const folder = 'reference-server/src/data-plane/fast-path/';
    const importers = inFolder('reference-server/src')
      .filter(({ path }) => !path.startsWith(folder))
      .filter(({ path, imports }) =>
        imports.some(({ specifier }) => resolveImport(path, specifier).startsWith(folder)),
      );
    expect(importers.map(({ path }) => path)).toEqual(['reference-server/src/data-plane/serving-path.ts']);
  });

  test('the command line shares only libraries, the API types and the edit distance with the server', () => {
    const folder = 'reference-server/src/cli';
    const outside = inFolder(folder)
      .flatMap(({ path, imports }) =>
        imports.map(({ specifier }) =>
          specifier.startsWith('.') ? resolveImport(path, specifier) : specifier,
        ),
      )
      .filter((target) => !target.startsWith(`${folder}/`) && !target.startsWith('node:'));
    expect([...new Set(outside)].sort()).toEqual([
      'js-yaml',
      'ky',
      'reference-server/generated/openapi.d.ts',
      'reference-server/src/lib/edit-distance.ts',
    ]);
  });

  test('a feature of the dashboard imports no other feature', () => {
    const shared = ['api', 'app', 'i18n', 'ui'];
    const folderOf = (path: string): string => path.split('/')[2]!;
    const broken = inFolder('dashboard/src')
      .filter(({ path }) => folderOf(path) !== 'main.tsx')
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ specifier }) => specifier.startsWith('.'))
          .map(({ specifier }) => resolveImport(path, specifier))
          .filter((target) => folderOf(target) !== folderOf(path) && !shared.includes(folderOf(target)))
          .map((target) => `${path} imports ${target}`),
      );
    expect(broken).toEqual([]);
  });

  test("a feature does not import another feature's store", () => {
    const broken = inFolder('reference-server/src/control-plane/features').flatMap(({ path, imports }) =>
      imports
        .filter(({ isType, specifier }) => !isType && /-store\.ts$/.test(specifier))
        .map(({ specifier }) => resolveImport(path, specifier))
        .filter((target) => target.includes('/features/') && target.split('/')[4] !== path.split('/')[4])
        .map((target) => `${path} imports ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test('sdk-core uses no clock, no randomness and no global of a runtime', () => {
    const forbidden =
      /\b(Date\.now|new Date\(\)|Math\.random|performance\.|setTimeout|setInterval|process\.|globalThis|window\.|document\.|navigator\.|new Function|eval\()/;
    const broken = inFolder('sdk-core/src')
      .filter(({ path }) => !path.includes('/testing'))
      .flatMap(({ path, text }) => text.split('\n').map((line, i) => ({ place: `${path}:${i + 1}`, line })))
      .filter(({ line }) => forbidden.test(line.replace(/^\s*(\/\/|\*|\/\*).*$/, '')))
      .map(({ place, line }) => `${place}: ${line.trim()}`);
    expect(broken).toEqual([]);
  });

  test('only the entry points of the server and its command line read the environment', () => {
    const broken = inFolder('reference-server/src').filter(
      ({ path, text }) => /^(?!\s*(\*|\/)).*process\.env/m.test(text) && !/\/(main|cli\/.*)\.ts$/.test(path),
    );
    expect(broken.map(({ path }) => path)).toEqual([]);
  });

  test("users' patterns never become native regular expressions", () => {
    const broken = sources.filter(
      ({ path, text }) => /new RegExp\(/.test(text) && !path.startsWith('conformance/'),
    );
    expect(broken.map(({ path }) => path)).toEqual([]);
  });
});

describe('the tree', () => {
  const texts = trackedFiles()
    .filter(
      (path) =>
        /\.(ts|tsx|mjs|js|json|md|py|java|rs|ya?ml|html|css)$|\.ci\/run$/.test(path) &&
        !path.endsWith('package-lock.json'),
    )
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

  test('contains no path outside of the repository', () => {
    const outside = ['..', 'shared', ''].join('/');
    const broken = texts.filter(
      ({ path, text }) =>
        path !== 'scripts/boundaries.test.ts' && (text.includes(outside) || text.includes(`${root}/`)),
    );
    expect(broken.map(({ path }) => path)).toEqual([]);
  });

  test('links between pages lead to tracked files', () => {
    const tracked = new Set(trackedFiles());
    const broken = texts
      .filter(({ path }) => path.endsWith('.md'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
          .map(([, target]) => resolveImport(path, decodeURI(target!)).replace(/\/$/, ''))
          .filter(
            (target) =>
              !tracked.has(target) &&
              ![...tracked].some((file) => file.startsWith(`${target}/`)) &&
              target !== '.',
          )
          .map((target) => `${path} links to ${target}`),
      );
    expect(broken).toEqual([]);
  });
});
