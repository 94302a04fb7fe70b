/** An option, with the same meaning in every command that accepts it. */
export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** Placeholder for the value in the help. */
  readonly value?: string;
  readonly summary: string;
  /** Repeatable. */
  readonly multiple?: boolean;
  /** The only accepted values. */
  readonly values?: readonly string[];
}

/** All options of all commands. */
export const OPTIONS = {
  help: { type: 'boolean', short: 'h', summary: 'Show help for the command.' },
  version: { type: 'boolean', summary: 'Show the version.' },
  json: { type: 'boolean', summary: 'Write JSON instead of tables. Errors are JSON too, on standard error.' },
  url: {
    type: 'string',
    value: 'address',
    summary: 'Server address. Default: FLAGSVC_URL, then the last login, then http://127.0.0.1:8000.',
  },
  project: {
    type: 'string',
    short: 'p',
    value: 'key',
    summary: 'Project key or id. Default: FLAGSVC_PROJECT, then the only project, then "default".',
  },
  environment: {
    type: 'string',
    short: 'e',
    multiple: true,
    value: 'key',
    summary: 'Environment key or id. Default: FLAGSVC_ENVIRONMENT.',
  },
  yes: {
    type: 'boolean',
    short: 'y',
    summary: 'Skip the confirmation prompt.',
  },
  comment: {
    type: 'string',
    short: 'm',
    value: 'text',
    summary: 'Reason for the change, kept in the audit log.',
  },
  'dry-run': { type: 'boolean', summary: 'Show what would change, without changing anything.' },
  'break-glass': {
    type: 'string',
    value: 'reason',
    summary:
      'Admins: override a freeze window. Takes a reason of at least 20 characters, or the id of an open session (bgl_…). Another admin reviews it later.',
  },
  email: { type: 'string', value: 'address', summary: 'E-mail address to log in with. Default: a prompt.' },
  'password-stdin': { type: 'boolean', summary: 'Read the password from standard input.' },
  'token-stdin': {
    type: 'boolean',
    summary: 'Store a machine token from standard input instead of logging in with a password.',
  },
  status: {
    type: 'string',
    value: 'status',
    summary: 'Only flags with this status.',
    values: ['active', 'inactive', 'archived', 'draft', 'stale'],
  },
  type: {
    type: 'string',
    value: 'type',
    summary: 'Type of the flag. Default boolean.',
    values: ['boolean', 'string', 'number', 'json'],
  },
  search: { type: 'string', value: 'text', summary: 'Only flags whose key or name contains this text.' },
  tag: { type: 'string', multiple: true, value: 'tag', summary: 'Tag of the flag; repeatable.' },
  limit: { type: 'string', short: 'n', value: 'count', summary: 'Maximum number of rows. Default 100.' },
  name: { type: 'string', value: 'text', summary: 'Display name. Default: the key.' },
  description: { type: 'string', value: 'text', summary: 'Purpose of the flag.' },
  classification: {
    type: 'string',
    value: 'class',
    summary: 'Classification of the flag.',
    values: ['release', 'experiment', 'ops_killswitch', 'permission', 'migration'],
  },
  variation: {
    type: 'string',
    multiple: true,
    value: 'key=value',
    summary:
      'Variation key and value; repeatable. Values are JSON, except for string flags. Default for boolean flags: on=true and off=false.',
  },
  default: {
    type: 'string',
    value: 'variation',
    summary: 'Variation to serve when no rule matches. Default: the last variation.',
  },
  'client-side': { type: 'boolean', summary: 'Expose the flag to client keys, which are public.' },
  draft: { type: 'boolean', summary: 'Create a draft, which no ruleset contains until it is activated.' },
  rule: {
    type: 'string',
    value: 'id or name',
    summary: 'Rule to change. Default: the rule without conditions.',
  },
  user: { type: 'string', short: 'u', value: 'key', summary: 'User key of the context.' },
  attribute: {
    type: 'string',
    short: 'a',
    multiple: true,
    value: 'name=value',
    summary: 'Context attribute; repeatable. A value that is valid JSON is parsed.',
  },
  context: { type: 'string', value: 'json', summary: 'All attributes as one JSON object.' },
  'api-key': {
    type: 'string',
    value: 'key',
    summary: 'SDK key. Prefer FLAGSVC_API_KEY: process lists show command lines.',
  },
  kind: {
    type: 'string',
    value: 'kind',
    summary: 'Kind of key. Default server.',
    values: ['server', 'client', 'relay'],
  },
  role: {
    type: 'string',
    value: 'role',
    summary:
      'Role of the account. Default viewer. With --project, the role applies only there; elsewhere the account is a viewer.',
    values: ['viewer', 'editor', 'admin'],
  },
  agent: {
    type: 'boolean',
    summary: 'Mark the account as an autonomous agent, which cannot change critical environments.',
  },
  scope: {
    type: 'string',
    multiple: true,
    value: 'scope',
    summary: 'Scope of the token; repeatable. Default read. `admin` allows everything that the role allows.',
    values: ['read', 'code_references:write', 'flags:write', 'admin'],
  },
  'expires-at': { type: 'string', value: 'time', summary: 'Expiry time (ISO 8601). Default: never.' },
  grace: {
    type: 'string',
    value: 'hours',
    summary: 'Hours until the old key stops working. Default 24; 0 stops it immediately.',
  },
  'allow-origin': {
    type: 'string',
    multiple: true,
    value: 'origin',
    summary: 'Client keys: allowed page origin; repeatable.',
  },
  'allow-ip': {
    type: 'string',
    multiple: true,
    value: 'range',
    summary: 'Allowed IP address or CIDR range; repeatable.',
  },
  'rate-limit': {
    type: 'string',
    multiple: true,
    value: 'name=n',
    summary:
      'Requests per minute of evaluation, ruleset, events or stream, such as ruleset=1000; repeatable. "none" restores the limits of the server.',
  },
  format: {
    type: 'string',
    value: 'format',
    summary: 'File format.',
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
    summary: 'Import mode. Default merge. `replace` also archives everything that the file does not contain.',
    values: ['merge', 'replace', 'create_only'],
  },
  from: { type: 'string', value: 'environment', summary: 'Key or id of the first environment.' },
  to: { type: 'string', value: 'environment', summary: 'Key or id of the second environment.' },
  'with-switch': { type: 'boolean', summary: 'Also copy whether the flag is on.' },
  repository: {
    type: 'string',
    value: 'name',
    summary: 'Repository name, such as github.com/acme/shop. Default: the git remote "origin".',
  },
  branch: {
    type: 'string',
    value: 'name',
    summary: 'Branch name. Default: from git, then from the CI environment.',
  },
  revision: { type: 'string', value: 'commit', summary: 'Commit. Default: from git.' },
  'url-template': {
    type: 'string',
    value: 'url',
    summary:
      'Link to a line of code, such as https://{repository}/blob/{revision}/{path}#L{line}. Built in for GitHub, GitLab and Bitbucket.',
  },
  all: {
    type: 'boolean',
    summary:
      'Every environment of the project given by --project; without --project, every environment of all projects.',
  },
  at: {
    type: 'string',
    value: 'time',
    summary: 'Time of the change (ISO 8601). Without an offset: local time.',
  },
  until: {
    type: 'string',
    value: 'time',
    summary: 'End time (ISO 8601). Without an offset: local time.',
  },
  justification: {
    type: 'string',
    value: 'text',
    summary: 'Reason, at least 20 characters. Another admin reviews it later.',
  },
  minutes: {
    type: 'string',
    value: 'count',
    summary: 'Minutes until the session expires, 5 to 240. Default 60.',
  },
  'exit-code': { type: 'boolean', summary: 'Exit with 1 if there are differences.' },
  follow: { type: 'boolean', short: 'f', summary: 'Keep showing new entries until Ctrl-C.' },
  action: { type: 'string', value: 'name', summary: 'Only entries with this action, such as flag.toggled.' },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof OPTIONS;

/** Summary of `--environment` for commands that only read. */
export const READ_ENVIRONMENT =
  "Environment key or id. Default: FLAGSVC_ENVIRONMENT, then the project's default environment.";

/** The options of every command. */
export const GLOBAL_OPTIONS = ['url', 'json', 'help'] as const satisfies readonly OptionName[];

/** The values of the given options, by option name. */
export type OptionValues = {
  readonly [Name in OptionName]?: (typeof OPTIONS)[Name] extends { multiple: true }
    ? readonly string[]
    : (typeof OPTIONS)[Name] extends { values: readonly (infer Value)[] }
      ? Value
      : (typeof OPTIONS)[Name]['type'] extends 'string'
        ? string
        : boolean;
};
