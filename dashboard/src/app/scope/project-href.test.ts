import { defaultParseSearch } from '@tanstack/react-router';
import { expect, test } from 'vitest';
import { projectHref } from './use-scope.ts';

const place = { organization: 'org_1', project: 'storefront' };
const read = (href: string) => defaultParseSearch(href.slice(href.indexOf('?')));

test('an address has the project, the path, and what is given of the search', () => {
  expect(projectHref(place, '')).toBe('/o/org_1/p/storefront');
  expect(projectHref(place, 'changes', { of: 'flag', entry: undefined })).toBe(
    '/o/org_1/p/storefront/changes?of=flag',
  );
  expect(projectHref(place, '/settings/profile', {})).toBe('/settings/profile');
});

test.each(['1e5', 'null', 'true', '9007199254740993', '1e400', '-0', '"', '{}', 'a b&c=d', '__proto__'])(
  'the page reads the key %s as it was',
  (key) => {
    expect(read(projectHref(place, 'why', { flag: key }))).toEqual({ flag: key });
  },
);
