/** A JSON schema of the document. */
export interface ExampleSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly ExampleSchema[];
  readonly examples?: readonly unknown[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ExampleSchema>>;
  readonly additionalProperties?: ExampleSchema | boolean;
  readonly items?: ExampleSchema;
}

const ULID = '01KAGJ7Q8V3W5X6Y7Z8A9B0C1D';
const AT = '2026-11-20T10:00:00.000Z';

/** Example values by field name, for schemas without examples. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  key: 'new-checkout',
  flag_key: 'new-checkout',
  track_exposure: 'dark-mode',
  new_key: 'new-checkout',
  name: 'New checkout',
  full_name: 'Ada Lovelace',
  description: 'The checkout in one page.',
  email: 'ada@example.com',
  password: 'correct horse battery',
  default_variation: 'off',
  variation: 'on',
  variation_key: 'on',
  attribute: 'country',
  user_key: 'user-1',
  timezone: 'Europe/Berlin',
  action: 'flag.toggled',
  blocked_action: '*',
  comment: 'Launch of the new checkout.',
  justification: 'The payment provider is down; the old checkout has to serve.',
  url: 'https://hooks.example.com/flags',
  accept_url: 'https://flags.example.com/invitations/accept#invt_0f1e2d',
  rule: 'FREQ=WEEKLY;BYDAY=FR',
  tag: 'checkout',
  color: '#0969da',
  page: 1,
  per_page: 50,
  total: 1,
  revision: 12,
  ruleset_version: 481,
  percentage: 25,
  expires_in: 86_400,
};

const PREFIXES: Readonly<Record<string, string>> = {
  organization_id: 'org_',
  project_id: 'prj_',
  environment_id: 'env_',
  flag_id: 'flg_',
  user_id: 'usr_',
  created_by: 'usr_',
  actor_id: 'usr_',
  segment_id: 'seg_',
  import_id: 'imp_',
  owner_id: 'usr_',
  ended_by: 'usr_',
  webhook_id: 'whk_',
  message_id: 'msg_',
  audit_id: 'evt_',
  rule_id: 'rule_',
  default_environment_id: 'env_',
  target_project_id: 'prj_',
};

/** A realistic value that fits the schema. */
export function exampleOf(schema: ExampleSchema, name = ''): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  if ('const' in schema) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) {
    return exampleOf(schema.anyOf.find(({ type }) => type !== 'null') ?? { type: 'null' }, name);
  }
  switch (schema.type) {
    case 'object':
      return objectExample(schema, name);
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(schema.items, singular(name))];
    case 'integer':
    case 'number':
      return typeof BY_NAME[name] === 'number' ? BY_NAME[name] : Math.max(schema.minimum ?? 0, 0);
    case 'boolean':
      return true;
    case 'string':
      return textExample(schema, name);
    case 'null':
      return null;
    default:
      return typeof BY_NAME[name] === 'string' ? BY_NAME[name] : true;
  }
}

function objectExample({ properties = {}, additionalProperties }: ExampleSchema, name: string): unknown {
  const fields = Object.entries(properties).map(([name, inner]) => [name, exampleOf(inner, name)]);
  if (fields.length > 0 || typeof additionalProperties !== 'object') return Object.fromEntries(fields);
  const key = name === 'evaluations' ? 'dark-mode' : 'enabled';
  return { [key]: exampleOf(additionalProperties, 'value') };
}

function textExample(
  { description = '', format, pattern, minLength = 0 }: ExampleSchema,
  name: string,
): string {
  if (format === 'date-time') return AT;
  const prefix = /^`([a-z]+_)` and an opaque string/.exec(description)?.[1] ?? PREFIXES[name];
  if (prefix !== undefined) return prefix + ULID;
  const named = BY_NAME[name];
  const text = typeof named === 'string' ? named : pattern === undefined ? 'text' : 'production';
  return text.padEnd(minLength, 'x');
}

function singular(name: string): string {
  const one = name.replace(/s$/, '');
  return name.endsWith('_ids') ? one : one === 'flag_key' ? 'flag_key' : one;
}
