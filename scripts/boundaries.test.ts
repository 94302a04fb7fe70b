import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveImport, root, type Source, shippedSources, trackedFiles } from './sources.ts';

const sources = shippedSources();
const byPath = new Map(sources.map((source) => [source.path, source]));
const inFolder = (folder: string) => sources.filter(({ path }) => path.startsWith(`${folder}/`));

/** What each room may use at run time, besides its own files. The longest folder that fits counts. */
const MAY_USE: Readonly<Record<string, readonly RegExp[]>> = {
  'sdk-core/src': [],
  'sdk-node/src': [/^@flagsvc\/sdk-core(\/|$)/, /^eventsource-parser$/, /^node:/, /^@openfeature\//],
  'sdk-browser/src': [/^@flagsvc\/sdk-core(\/|$)/, /^eventsource-parser$/, /^@openfeature\//],
  // The testing door shares its context with the door for components, so it imports that one by name.
  'sdk-react/src': [/^react$/, /^react\//, /^@flagsvc\/sdk-core(\/testing)?$/, /^@flagsvc\/sdk-react$/],
  'reference-server/src': [/^(?!@flagsvc\/)/, /^@flagsvc\/sdk-core(\/(rule-index|msgpack|openfeature))?$/],
  'reference-server/src/data-plane': [
    /^(?!@flagsvc\/|better-sqlite3|kysely)/,
    /^@flagsvc\/sdk-core(\/(rule-index|msgpack|openfeature))?$/,
  ],
  'conformance/src': [/^(?!@flagsvc\/)/],
};

function roomOf(path: string): string {
  const fitting = Object.keys(MAY_USE).filter((folder) => path.startsWith(`${folder}/`));
  return fitting.sort((a, b) => b.length - a.length)[0]!;
}

describe('walls', () => {
  test('every room imports only what it may', () => {
    const broken = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier, isType }) => !isType && !specifier.startsWith('.'))
        .filter(({ specifier }) => !MAY_USE[roomOf(path)]!.some((allowed) => allowed.test(specifier)))
        .map(({ specifier }) => `${path} imports ${specifier}`),
    );
    expect(broken).toEqual([]);
  });

  test('no package reaches into the files of another', () => {
    const broken = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier }) => specifier.startsWith('.'))
        .filter(({ specifier }) => resolveImport(path, specifier).split('/')[0] !== path.split('/')[0])
        .map(({ specifier }) => `${path} imports ${specifier}`),
    );
    expect(broken).toEqual([]);
  });

  test('the evaluator does not know the client machine', () => {
    const door = reachableFrom('sdk-core/src/index.ts');
    expect([...door].filter((path) => path.includes('/client') || path.includes('/testing'))).toEqual([]);
  });

  test('the data plane knows no database and no feature', () => {
    const reached = [...reachableFrom('reference-server/src/data-plane/plugin.ts')];
    expect(reached.filter((path) => /\/(storage|control-plane|publishing)\//.test(path))).toEqual([]);
  });

  test('the command line knows the server by its document alone', () => {
    const folder = 'reference-server/src/cli';
    const outside = inFolder(folder)
      .flatMap(({ path, imports }) =>
        imports.map(({ specifier }) =>
          specifier.startsWith('.') ? resolveImport(path, specifier) : specifier,
        ),
      )
      .filter((target) => !target.startsWith(`${folder}/`) && !target.startsWith('node:'));
    expect([...new Set(outside)].sort()).toEqual([
      'reference-server/generated/openapi.d.ts',
      'reference-server/src/lib/edit-distance.ts',
    ]);
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

  test('imports at run time have no cycles', () => {
    expect(cycles()).toEqual([]);
  });

  test('the core uses no clock, no dice and no global of a runtime', () => {
    const forbidden =
      /\b(Date\.now|new Date\(\)|Math\.random|performance\.|setTimeout|setInterval|process\.|globalThis|window\.|document\.|navigator\.|new Function|eval\()/;
    const broken = inFolder('sdk-core/src')
      .filter(({ path }) => !path.includes('/testing'))
      .flatMap(({ path, text }) => text.split('\n').map((line, i) => ({ place: `${path}:${i + 1}`, line })))
      .filter(({ line }) => forbidden.test(line.replace(/^\s*(\/\/|\*|\/\*).*$/, '')))
      .map(({ place, line }) => `${place}: ${line.trim()}`);
    expect(broken).toEqual([]);
  });

  test("only the server's entry reads the environment", () => {
    const broken = inFolder('reference-server/src').filter(
      ({ path, text }) => /^(?!\s*(\*|\/)).*process\.env/m.test(text) && !/\/(main|cli\/.*)\.ts$/.test(path),
    );
    expect(broken.map(({ path }) => path)).toEqual([]);
  });

  test('a pattern of a user never becomes a native regular expression', () => {
    const broken = sources.filter(
      ({ path, text }) => /new RegExp\(/.test(text) && !path.startsWith('conformance/'),
    );
    expect(broken.map(({ path }) => path)).toEqual([]);
  });
});

describe('sizes', () => {
  test('files stay short', () => {
    const lines = sources.map((source) => source.lines).sort((a, b) => a - b);
    expect(
      sources.filter((source) => source.lines > 400).map(({ path, lines: count }) => `${path}: ${count}`),
    ).toEqual([]);
    expect(lines[Math.floor(lines.length * 0.9)]).toBeLessThanOrEqual(250);
  });

  test('functions can be read without scrolling', () => {
    const broken = sources.flatMap(({ path, functions }) =>
      functions
        .filter(
          ({ name, lines }) =>
            lines > (/^(create|build|register|use|define)|Plugin$|Routes$/.test(name) ? 150 : 80),
        )
        .map(({ name, lines }) => `${path} ${name}: ${lines} lines`),
    );
    expect(broken).toEqual([]);
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

  test('stands alone: nothing points outside of it or at a machine', () => {
    const outside = ['..', 'shared', ''].join('/');
    const broken = texts.filter(
      ({ path, text }) =>
        path !== 'scripts/boundaries.test.ts' && (text.includes(outside) || text.includes(`${root}/`)),
    );
    expect(broken.map(({ path }) => path)).toEqual([]);
  });

  test('links between pages lead somewhere', () => {
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

function valueImports({ path, imports }: Source): readonly string[] {
  return imports
    .filter(({ specifier, isType }) => !isType && specifier.startsWith('.'))
    .map(({ specifier }) => resolveImport(path, specifier))
    .filter((target) => byPath.has(target));
}

function reachableFrom(door: string): ReadonlySet<string> {
  const reached = new Set([door]);
  for (const path of reached) for (const target of valueImports(byPath.get(path)!)) reached.add(target);
  return reached;
}

function cycles(): readonly string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(' -> '));
    if (way.includes(path) || done.has(path)) return;
    for (const target of valueImports(byPath.get(path)!)) walk(target, [...way, path]);
    done.add(path);
  };
  for (const { path } of sources) walk(path, []);
  return found;
}
