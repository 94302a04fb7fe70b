import { expect, test } from 'vitest';
import type { ApiError } from '../../../http/errors.ts';
import { checkUrlTemplate, urlOf } from './url-template.ts';

const parts = {
  repository: 'github.com/acme/shop',
  branch: 'feature/new cart',
  revision: 'a1b2c3',
  path: 'src/über #1?.ts',
  line: 12,
  column: 3,
};

test.each([
  [
    'https://{repository}/blob/{revision}/{path}#L{line}',
    'https://github.com/acme/shop/blob/a1b2c3/src/%C3%BCber%20%231%3F.ts#L12',
  ],
  [
    'http://git.example.com:3000/{repository}/src/branch/{branch}/{path}?line={line}&col={column}',
    'http://git.example.com:3000/github.com/acme/shop/src/branch/feature/new%20cart/src/%C3%BCber%20%231%3F.ts?line=12&col=3',
  ],
])('the URL of a place follows the template %s', (template, url) => {
  expect(() => checkUrlTemplate(template)).not.toThrow();
  expect(urlOf(template, parts)).toBe(url);
});

test.each([
  ['javascript:alert(1)//{path}', 'format'],
  ['ftp://files.example.com/{path}', 'format'],
  ['{repository}/{path}', 'format'],
  ['//{repository}/{path}', 'format'],
  ['https://', 'format'],
  ['https://user:secret@git.example.com/{path}', 'format'],
  ['https://git.example.com/{path', 'format'],
  ['https://git.example.com/{file}', 'placeholder'],
  ['https://git.example.com/{}', 'placeholder'],
  ['https://git.example.com/{toString}', 'placeholder'],
])('refuses %s', (template, code) => {
  try {
    checkUrlTemplate(template);
    expect.unreachable();
  } catch (error) {
    expect((error as ApiError).details['fields']).toEqual([
      expect.objectContaining({ field: 'url_template', location: 'body', code }),
    ]);
  }
});

test('a place has no URL if there is no template or the template yields no http URL', () => {
  expect(urlOf(null, parts)).toBeNull();
  expect(urlOf('https://{repository}/{path}', { ...parts, repository: 'a:b@' })).toBeNull();
});
