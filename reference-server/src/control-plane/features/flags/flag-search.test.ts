import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../../../test/api.ts';
import { booleanFlag, startServer, type TestServer } from '../../../../test/server.ts';

const NAMES = [
  'kelvin',
  'KELVIN scale',
  '\u212Aelvin by its sign',
  'kelvin \u017Fnake',
  'Kelvin snake_case',
  'kelvin 100%',
  'kelvin größe',
  'KELVIN GRÖSSE',
  'kelvin \\ 1',
  'kelvin\u00A0é',
];
const PLAIN = NAMES.filter((name) => /^[ -~]*$/.test(name));
const TIMES = 20;

let server: TestServer;
let api: Api;
/** The environment of a project with one flag of each name. */
let alone: string;
/** The environment of a project with one flag of each name, among other flags. */
let among: string;
/** The environment of a project with many flags of each name. */
let often: string;
/** The environment of a project with many flags of each ASCII name. */
let plain: string;

beforeAll(async () => {
  server = await startServer();
  api = server.as('editor');
  const fill = async (key: string, names: readonly string[]): Promise<string> => {
    const { default_environment_id } = await api.projects.create({ key, name: key });
    const { flags } = api.in(default_environment_id!);
    for (const [index, name] of names.entries()) await flags.create(booleanFlag(`flag-${index}`, { name }));
    return default_environment_id!;
  };
  alone = await fill('alone', NAMES);
  among = await fill('among', [...NAMES, ...Array.from({ length: 3 * NAMES.length }, () => 'other')]);
  const many = (names: readonly string[]) => Array.from({ length: TIMES }, () => names).flat();
  often = await fill('often', many(NAMES));
  plain = await fill('plain', many(PLAIN));
});
afterAll(() => server.close());

async function list(environment: string, search: string, query: { page?: number; per_page?: number } = {}) {
  return (await api.in(environment).flags.list({ sort: 'key', search, ...query }).answer).body;
}

/** The names of the flags on the first page. */
async function found(environment: string, search: string): Promise<string[]> {
  const { data, meta } = await list(environment, search);
  expect(meta.total).toBe(data.length);
  return data.map(({ name }) => name);
}

test.each([
  'kelvin',
  'KELVIN',
  '\u212Aelvin',
  'elv',
  'vin s',
  'snake',
  'n%',
  'e_c',
  '0%',
  'größe',
  'GRÖSSE',
  'ss',
  '\\',
  ' \\ ',
  'snake kelvin',
  'scale e kel',
  'kelvin\u00A0',
  'nothing',
])('a search finds the same flags whether its text is common or rare: %s', async (search) => {
  const names = await found(alone, search);
  expect(names).toEqual(await found(among, search));
  for (const [project, own] of [
    [often, NAMES],
    [plain, PLAIN],
  ] as const) {
    const body = await list(project, search, { per_page: 200 });
    const wanted = names.filter((name) => own.includes(name));
    expect(body.meta.total).toBe(TIMES * wanted.length);
    expect(new Set(body.data.map(({ name }) => name))).toEqual(new Set(wanted));
  }
});

test('a search ignores case, and has pages', async () => {
  const all = await found(alone, 'KELVIN');
  expect(all).toHaveLength(NAMES.length);
  const pages = await Promise.all([1, 2, 3, 4].map((page) => list(alone, 'KELVIN', { per_page: 4, page })));
  expect(pages.map(({ data }) => data.length)).toEqual([4, 4, 2, 0]);
  expect(pages.flatMap(({ data }) => data.map(({ name }) => name))).toEqual(all);
});

test('each word of a search may be in the name or the key, in any order', async () => {
  expect(await found(alone, 'snake_c vin')).toEqual(['Kelvin snake_case']);
  expect(await found(alone, 'flag-1 scale')).toEqual(['KELVIN scale']);
  expect(await found(alone, '  kelvin  1 ')).toEqual(expect.arrayContaining(['kelvin 100%', 'kelvin \\ 1']));
  expect(await found(alone, 'kelvin other')).toEqual([]);
  expect(await found(alone, '\tscale\u00A0 KELVIN\n')).toEqual(['KELVIN scale']);
});

test.each([' ', '  ', '\t', '\u00A0\r\n'])('a search for blanks lists everything: %j', async (blanks) => {
  for (const project of [alone, among])
    expect(await found(project, blanks)).toEqual(await found(project, ''));
});
