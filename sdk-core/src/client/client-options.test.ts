import { expect, test } from 'vitest';
import { CLIENT_DEFAULTS, type ClientOptions, parseOptions } from './client-options.ts';

const base = { apiKey: 'sdk-dev-1', baseUrl: 'https://flags.example.com/api/v1/' };
const parse = (more: object) => parseOptions({ ...base, ...more } as ClientOptions, CLIENT_DEFAULTS);

test('returns the options with their defaults', () => {
  expect(parse({ pollIntervalMs: 1000, app: undefined })).toEqual({
    ...CLIENT_DEFAULTS,
    ...base,
    baseUrl: 'https://flags.example.com/api/v1',
    pollIntervalMs: 1000,
  });
});

test.each([
  [{ apiKey: undefined }, 'option apiKey must be an SDK key'],
  [{ apiKey: '' }, 'option apiKey must be'],
  [{ apiKey: 'key\n' }, 'option apiKey must be'],
  [{ apiKey: 5 }, 'option apiKey must be a string'],
  [{ baseUrl: undefined }, 'option baseUrl must be like https://host/api/v1'],
  [{ baseUrl: 'flags.example.com' }, 'option baseUrl must be like'],
  [{ baseUrl: 'https://user:secret@flags.example.com' }, 'option baseUrl must be like'],
  [{ baseUrl: 'https://flags.example.com/api?x=1' }, 'option baseUrl must be like'],
  [{ pollIntervalMs: 0 }, 'option pollIntervalMs must be a number such as 30000'],
  [{ pollIntervalMs: '30000' }, 'option pollIntervalMs must be a number such as 30000'],
  [{ pollIntervalMs: Number.NaN }, 'option pollIntervalMs must be'],
  [{ pollIntervalMs: Number.POSITIVE_INFINITY }, 'option pollIntervalMs must be'],
  [{ events: 'yes' }, 'option events must be a boolean such as true'],
  [{ app: 5 }, /option app must be a string$/],
  [{ apikey: 'x' }, 'option apikey is unknown; use one of apiKey,baseUrl,'],
  [{ constructor: 1 }, 'option constructor is unknown'],
])('refuses %j, naming the option and the remedy', (more, message) => {
  expect(() => parse(more)).toThrow(message);
});

test('never quotes the value of an option', () => {
  expect(() => parse({ apiKey: 'sdk-prod-secret key' })).toThrow(/^(?!.*secret)/);
});
