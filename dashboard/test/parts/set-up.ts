import { cleanup, configure } from '@testing-library/react';
import { afterEach, expect, vi } from 'vitest';

// Parts are found by their names for screen readers; a slow machine gets time.
configure({ asyncUtilTimeout: 10_000 });

// jsdom has no layout: what parts ask about it has one answer.
window.matchMedia ??= (query) =>
  ({
    matches: query.includes('min-width'),
    media: query,
    addEventListener() {},
    removeEventListener() {},
  }) as never;
window.scrollTo = () => undefined;
Element.prototype.scrollIntoView ??= () => undefined;
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

/** Warnings of React are defects: a missing key, a controlled field that became uncontrolled. */
const errors: unknown[] = [];
vi.spyOn(console, 'error').mockImplementation((...args: unknown[]) => {
  // jsdom does not know the element yet; browsers do.
  if (args[1] !== 'search') errors.push(args);
});

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  localStorage.clear();
  expect(errors.splice(0)).toEqual([]);
});
