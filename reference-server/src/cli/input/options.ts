/** One option, with the same meaning wherever a command takes it. */
export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** What stands for the value in the help. */
  readonly value?: string;
  readonly summary: string;
  /** May be given more than once. */
  readonly multiple?: boolean;
  /** The only values that it takes. */
  readonly values?: readonly string[];
}

/** Every option of every command. */
export const OPTIONS = {
  help: { type: 'boolean', short: 'h', summary: 'Show what a command does and takes.' },
  version: { type: 'boolean', summary: 'Show the version.' },
  json: { type: 'boolean', summary: 'Write JSON instead of tables; errors too, on standard error.' },
  url: {
    type: 'string',
    value: 'address',
    summary: 'The server; else FLAGSVC_URL, else where you logged in last, else http://127.0.0.1:8000.',
  },
  project: {
    type: 'string',
    short: 'p',
    value: 'key',
    summary: 'Key or id of the project; else FLAGSVC_PROJECT, else the only one, or "default".',
  },
  environment: {
    type: 'string',
    short: 'e',
    multiple: true,
    value: 'key',
    summary:
      "Key or id of the environment; else FLAGSVC_ENVIRONMENT. What only reads takes the project's default.",
  },
  yes: {
    type: 'boolean',
    short: 'y',
    summary: 'Skip the confirmation prompt.',
  },
  comment: { type: 'string', short: 'm', value: 'text', summary: 'Why; kept in the audit log.' },
  'dry-run': { type: 'boolean', summary: 'Check everything, change nothing, and show what would happen.' },
  'break-glass': {
    type: 'string',
    value: 'reason',
    summary:
      'Admins: carry the change through a freeze window; at least 20 characters, or the id of a session, bgl_…; reviewed later.',
  },
  email: { type: 'string', value: 'address', summary: 'Whom to log in; asked for otherwise.' },
  'password-stdin': { type: 'boolean', summary: 'Read the password from standard input.' },
  'token-stdin': {
    type: 'boolean',
    summary: 'Keep a token for programs, read from standard input, in place of a login.',
  },
  status: {
    type: 'string',
    value: 'status',
    summary: 'Only flags of this status.',
    values: ['active', 'inactive', 'archived', 'draft', 'stale'],
  },
  type: {
    type: 'string',
    value: 'type',
    summary: 'Type of the flag; default boolean.',
    values: ['boolean', 'string', 'number', 'json'],
  },
  search: { type: 'string', value: 'text', summary: 'Only flags whose key or name holds this.' },
  tag: { type: 'string', multiple: true, value: 'tag', summary: 'A tag; may be given again.' },
  limit: { type: 'string', short: 'n', value: 'count', summary: 'At most so many; default 100.' },
  name: { type: 'string', value: 'text', summary: 'Display name; default: the key.' },
  description: { type: 'string', value: 'text', summary: 'What the flag is for.' },
  classification: {
    type: 'string',
    value: 'class',
    summary: 'What kind of flag it is.',
    values: ['release', 'experiment', 'ops_killswitch', 'permission', 'migration'],
  },
  variation: {
    type: 'string',
    multiple: true,
    value: 'key=value',
    summary: 'A variation and its value, JSON for all but strings; a boolean flag has on=true and off=false.',
  },
  default: {
    type: 'string',
    value: 'variation',
    summary: 'Served when no rule matches; default: the last variation.',
  },
  'client-side': { type: 'boolean', summary: 'Client keys, which are public, may see the flag.' },
  draft: { type: 'boolean', summary: 'Keep the flag out of every ruleset until it is activated.' },
  rule: {
    type: 'string',
    value: 'id or name',
    summary: 'The rule to change; default: the rule without conditions.',
  },
  user: { type: 'string', short: 'u', value: 'key', summary: 'The user key of the context.' },
  attribute: {
    type: 'string',
    short: 'a',
    multiple: true,
    value: 'name=value',
    summary: 'An attribute of the context; a value that is JSON is taken as such.',
  },
  context: { type: 'string', value: 'json', summary: 'All attributes as one JSON object.' },
  'api-key': {
    type: 'string',
    value: 'key',
    summary: 'SDK key; better in FLAGSVC_API_KEY, where ps does not show it.',
  },
  kind: {
    type: 'string',
    value: 'kind',
    summary: 'Kind of key; default server.',
    values: ['server', 'client', 'relay'],
  },
  role: {
    type: 'string',
    value: 'role',
    summary: 'What the account may do; with --project there alone, and elsewhere it only reads.',
    values: ['viewer', 'editor', 'admin'],
  },
  agent: {
    type: 'boolean',
    summary: 'A program that decides by itself: it changes nothing in critical environments.',
  },
  scope: {
    type: 'string',
    multiple: true,
    value: 'scope',
    summary: 'What the token is for; default read. `admin` is all that the role allows.',
    values: ['read', 'code_references:write', 'flags:write', 'admin'],
  },
  'expires-at': { type: 'string', value: 'time', summary: 'When the key expires; default never.' },
  grace: {
    type: 'string',
    value: 'hours',
    summary: 'How long the old key works beside the new one; default 24, 0 ends it at once.',
  },
  'allow-origin': {
    type: 'string',
    multiple: true,
    value: 'origin',
    summary: 'Client keys: pages that may use it.',
  },
  'allow-ip': { type: 'string', multiple: true, value: 'range', summary: 'Addresses that may use it.' },
  format: {
    type: 'string',
    value: 'format',
    summary: 'Format of the file: export writes yaml by default, import tells it by the file.',
    values: ['yaml', 'json', 'flagd'],
  },
  output: {
    type: 'string',
    short: 'o',
    value: 'file',
    summary: 'Write to this file instead of standard output.',
  },
  mode: {
    type: 'string',
    value: 'mode',
    summary: 'What an import does; default merge. `replace` archives what the file does not have.',
    values: ['merge', 'replace', 'create_only'],
  },
  from: { type: 'string', value: 'environment', summary: 'Key or id of the first environment.' },
  to: { type: 'string', value: 'environment', summary: 'Key or id of the other environment.' },
  'with-switch': { type: 'boolean', summary: 'Carry over whether the flag is on, too.' },
  repository: {
    type: 'string',
    value: 'name',
    summary: 'Name of the repository, such as github.com/acme/shop; default: the remote "origin" of git.',
  },
  branch: { type: 'string', value: 'name', summary: 'The branch; default: what git or the pipeline says.' },
  revision: { type: 'string', value: 'commit', summary: 'The commit; default: what git says.' },
  'url-template': {
    type: 'string',
    value: 'url',
    summary:
      'Address of a place: https://{repository}/blob/{revision}/{path}#L{line}; known for GitHub, GitLab and Bitbucket.',
  },
  all: {
    type: 'boolean',
    summary: 'Every environment, of the project that --project names or, without it, of all projects.',
  },
  at: { type: 'string', value: 'time', summary: 'When: ISO 8601; without an offset in local time.' },
  until: {
    type: 'string',
    value: 'time',
    summary: 'When it ends: ISO 8601; without an offset in local time.',
  },
  justification: { type: 'string', value: 'text', summary: 'Why; at least 20 characters, reviewed later.' },
  minutes: { type: 'string', value: 'count', summary: 'How long it stays open, 5 to 240; default 60.' },
  'exit-code': { type: 'boolean', summary: 'End with 1 when there are differences.' },
  follow: { type: 'boolean', short: 'f', summary: 'Go on showing entries as they come, until Ctrl-C.' },
  action: { type: 'string', value: 'name', summary: 'Only entries of this action, such as flag.toggled.' },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof OPTIONS;

/** What every command takes. */
export const GLOBAL_OPTIONS = ['url', 'json', 'help'] as const satisfies readonly OptionName[];

/** What a command was given, by the name of the option. */
export type OptionValues = {
  readonly [Name in OptionName]?: (typeof OPTIONS)[Name] extends { multiple: true }
    ? readonly string[]
    : (typeof OPTIONS)[Name] extends { values: readonly (infer Value)[] }
      ? Value
      : (typeof OPTIONS)[Name]['type'] extends 'string'
        ? string
        : boolean;
};
