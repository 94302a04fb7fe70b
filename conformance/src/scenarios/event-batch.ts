import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { suiteDirectory } from '../suite/suite.ts';

let check: ValidateFunction | undefined;

/** How the body of `POST /sdk/events` violates its schema; undefined when it does not. */
export const faultsOfBatch = (body: unknown): string | undefined => {
  check ??= new Ajv2020({ allErrors: true, allowUnionTypes: true, strictRequired: false }).compile(
    JSON.parse(readFileSync(join(suiteDirectory(), 'schema', 'event-batch.schema.json'), 'utf8')),
  );
  if (check(body)) return undefined;
  const [first, second] = check.errors!.map(
    ({ instancePath, message }) => `${instancePath || 'the body'} ${message}`,
  );
  return second === undefined ? first : `${first}; ${second}`;
};
