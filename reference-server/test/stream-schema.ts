import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';

const read = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`../../conformance/schema/${name}`, import.meta.url), 'utf8'));
const schema = read('stream-message.schema.json') as {
  readonly $defs: Readonly<Record<string, { readonly properties?: object }>>;
};
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictRequired: false });
for (const name of ['tags.schema.json', 'ruleset.schema.json']) ajv.addSchema(read(name));
const check = ajv.compile(schema);

/** Throws unless the message matches `stream-message.schema.json` and has no other fields. */
export const expectDescribed = (message: {
  readonly event?: string | undefined;
  readonly data: object;
}): void => {
  const isDescribed: boolean = check(message);
  if (!isDescribed) throw new Error(`${message.event}: ${ajv.errorsText(check.errors)}`);
  const named = Object.keys(schema.$defs[message.event!]?.properties ?? {});
  const unnamed = Object.keys(message.data).filter((name) => !named.includes(name));
  if (unnamed.length > 0) throw new Error(`${message.event}: the schema does not name ${unnamed}`);
};
