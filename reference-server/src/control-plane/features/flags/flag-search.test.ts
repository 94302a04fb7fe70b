import { afterAll, beforeAll, expect, test } from 'vitest';
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
let server: TestServer;
/** Of projects: in one the flags stand alone, in one among three times as many, in two each is there many times. */
let alone: string;
let among: string;
let often: string;
let plain: string;
const PLAIN = NAMES.filter((name) => /^[ -~]*$/.test(name));
const TIMES = 20;

beforeAll(async () => {
  server = await startServer();
  const token = server.tokens.editor;
  const make = async (url: string, body: unknown): Promise<string> =>
    (await server.call({ method: 'POST', url, token, body })).body.data.id;
  const fill = async (key: string, names: readonly string[]): Promise<string> => {
    const project = await make('/projects', { key, name: key });
    const url = `/projects/${project}/environments`;
    const environment = (await server.call({ url, token })).body.data[0].id;
    for (const [index, name] of names.entries()) {
      await make(`/flags?environment_id=${environment}`, booleanFlag(`flag-${index}`, { name }));
    }
    return environment;
  };
  alone = await fill('alone', NAMES);
  among = await fill('among', [...NAMES, ...Array.from({ length: 3 * NAMES.length }, () => 'other')]);
  const many = (names: readonly string[]) => Array.from({ length: TIMES }, () => names).flat();
  often = await fill('often', many(NAMES));
  plain = await fill('plain', many(PLAIN));
});
afterAll(() => server.close());

async function list(environment: string, search: string, query = '') {
  const url = `/flags?environment_id=${environment}&sort=key&search=${encodeURIComponent(search)}${query}`;
  return (await server.call({ url, token: server.tokens.viewer })).body;
}

async function found(environment: string, search: string, query = ''): Promise<string[]> {
  const body = await list(environment, search, query);
  if (query === '') expect(body.meta.total).toBe(body.data.length);
  return body.data.map(({ name }: { name: string }) => name);
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
])('finds the same whether it is common or rare: %s', async (search) => {
  const names = await found(alone, search);
  expect(names).toEqual(await found(among, search));
  for (const [project, own] of [
    [often, NAMES],
    [plain, PLAIN],
  ] as const) {
    const body = await list(project, search, '&per_page=200');
    const wanted = names.filter((name) => own.includes(name));
    expect(body.meta.total).toBe(TIMES * wanted.length);
    expect(new Set(body.data.map(({ name }: { name: string }) => name))).toEqual(new Set(wanted));
  }
});

test('ignores case, and finds each page of what is common', async () => {
  const all = await found(alone, 'KELVIN');
  expect(all).toHaveLength(NAMES.length);
  const pages = await Promise.all(
    [1, 2, 3, 4].map((page) => found(alone, 'KELVIN', `&per_page=4&page=${page}`)),
  );
  expect(pages.map((page) => page.length)).toEqual([4, 4, 2, 0]);
  expect(pages.flat()).toEqual(all);
});

test('finds each word of a search somewhere in name or key, in whatever order', async () => {
  expect(await found(alone, 'snake_c vin')).toEqual(['Kelvin snake_case']);
  expect(await found(alone, 'flag-1 scale')).toEqual(['KELVIN scale']);
  expect(await found(alone, '  kelvin  1 ')).toEqual(expect.arrayContaining(['kelvin 100%', 'kelvin \\ 1']));
  expect(await found(alone, 'kelvin other')).toEqual([]);
  expect(await found(alone, '\tscale\u00A0 KELVIN\n')).toEqual(['KELVIN scale']);
});

test.each([' ', '  ', '\t', '\u00A0\r\n'])('is no search by blanks alone: %j', async (blanks) => {
  for (const project of [alone, among])
    expect(await found(project, blanks)).toEqual(await found(project, ''));
});
