import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createDescribeError } from './describe-error.ts';
import { toSafeLine } from './log-text.ts';
import { createTerminalFormat } from './terminal-log.ts';

/** The text of one entry, as it appears in a file and on a terminal. */
function write(
  fields: object,
  { color = false, level = 'info', describeError = createDescribeError(() => 0) } = {},
) {
  let json = '';
  const logger = pino(
    { level: 'trace', serializers: { err: describeError } },
    { write: (line) => (json = line) },
  );
  logger[level as 'info'](fields, (fields as { text?: string }).text ?? 'request');
  return { file: toSafeLine(json), terminal: createTerminalFormat({ color })(json) };
}

const REQUEST = {
  request_id: 'r-1',
  operation: 'toggleFlag',
  method: 'POST',
  path: '/api/v1/flags/flg_1/toggle',
  status: 200,
  ms: 12,
  actor: { kind: 'user', id: 'usr_1', email: 'ada@example.com' },
  address: '192.0.2.7',
};

test('shows requests in columns: time, level, status, method, operation, duration, actor, then the rest', () => {
  const { terminal } = write(REQUEST);
  expect(terminal.slice(12)).toBe(
    '  INFO   200  POST    toggleFlag                     12 ms  ada@example.com           /api/v1/flags/flg_1/toggle  request_id=r-1  address=192.0.2.7\n',
  );
  expect(terminal).toMatch(/^\d\d:\d\d:\d\d\.\d{3} /);
  const refused = { ...REQUEST, status: 403, code: 'INSUFFICIENT_PERMISSIONS', method: 'DELETE', ms: 4321 };
  const other = write(refused).terminal;
  expect(other).toContain(
    ' 403  DELETE  toggleFlag                   4321 ms  ada@example.com           INSUFFICIENT_PERMISSIONS  /api',
  );
});

test('shows who sent a request by the most telling name, and "-" when nobody knows', () => {
  const actorIn = (actor: object | null) =>
    / ms {2}(.{24})/.exec(write({ ...REQUEST, actor }).terminal)![1]!.trim();
  expect(actorIn({ kind: 'service_account', id: 'svc_1', name: 'deploy' })).toBe('deploy');
  expect(actorIn({ kind: 'sdk_key', id: 'key_1' })).toBe('key_1');
  expect(actorIn(null)).toBe('-');
});

test('shows fields by name and the lines of a stack below, indented', () => {
  const err = Object.assign(new Error('broken\nforged'), { detail: 'hunter2' });
  const { terminal, file } = write(
    { text: 'it failed', to: 'a@b', reason: 'no such user', err },
    { level: 'error' },
  );
  const [first, ...stack] = terminal.trimEnd().split('\n');
  expect(first!.slice(12)).toBe('  ERROR  it failed  text="it failed"  to=a@b  reason="no such user"');
  expect(stack.length).toBeGreaterThan(2);
  for (const line of stack) expect(line).toMatch(/^ {4}/);
  expect(terminal + file).not.toContain('hunter2');
});

test('shows an error without a stack in its line, with its causes', () => {
  const describeError = createDescribeError(() => 0);
  const err = new Error('the database is away', { cause: new Error('connect ECONNREFUSED') });
  const [first, second] = [1, 2].map(() => write({ ...REQUEST, err }, { describeError }).terminal);
  expect(first!.trimEnd().split('\n').length).toBeGreaterThan(2);
  expect(second).toMatch(/ {2}error="the database is away: connect ECONNREFUSED"\n$/);
});

test('uses colours only when asked to', () => {
  expect(write(REQUEST).terminal).not.toContain('\u001b');
  expect(write(REQUEST, { color: true }).terminal).toContain('\u001b[32m200\u001b[0m');
});

const HOSTILE =
  '\n12:00:00.000  INFO   forged\r\u001b[2J\u001b]0;title\u0007\u009b31m\u202e\u2028\u200b\u0000"}\n{"level":30}';

test('lets no field forge a line or control the terminal', () => {
  const actors = [
    { kind: 'user', id: HOSTILE, email: HOSTILE },
    { kind: HOSTILE, id: null, name: HOSTILE },
  ];
  const entries = [
    ...actors.map((actor) => ({ ...REQUEST, actor })),
    Object.fromEntries(
      Object.entries(REQUEST).map(([name, value]) => [name, typeof value === 'string' ? HOSTILE : value]),
    ),
    { text: HOSTILE, [HOSTILE]: HOSTILE, list: [HOSTILE, { [HOSTILE]: 1 }] },
    { ...REQUEST, code: HOSTILE, trace_id: HOSTILE },
  ];
  for (const entry of entries) {
    const { terminal, file } = write(entry);
    for (const text of [terminal, file]) {
      expect(text.split('\n')).toHaveLength(2);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left.
      expect(text.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u200b\u202e\u2028]/);
    }
    // The file holds the same value, in JSON's own escapes.
    expect(JSON.stringify(JSON.parse(file))).toContain(JSON.stringify(HOSTILE).slice(1, -1));
  }
});

test.each([
  'sdk-prod-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZab',
  `pat_${'a-_0'.repeat(11)}`,
  `svc_${'aB0'.repeat(13)}`,
  `rt_${'a'.repeat(43)}`,
  `invt_${'a'.repeat(43)}`,
  `whsec_${'a+/'.repeat(14)}=`,
  `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c3IifQ.${'s'.repeat(43)}`,
  'Bearer abcdefgh.ijk',
  'postgres://me:hunter2hunter2@db/flags',
])('hides a secret that slips into a message: %s', (secret) => {
  const err = new Error(`near "${secret}"`);
  const { terminal, file } = write({ text: `found ${secret}!`, value: secret, err });
  const hidden = secret.slice(-8);
  for (const text of [terminal, file]) {
    expect(text.replaceAll('@db/flags', '')).not.toContain(secret.includes('hunter2') ? 'hunter2' : hidden);
    expect(text).toContain('[hidden]');
  }
  expect(JSON.parse(file)).toMatchObject({ level: 30 });
});

test('shows ids, which look like tokens but are none', () => {
  const id = 'svc_01ARZ3NDEKTSV4RRFFQ69G5FAV';
  expect(write({ id }).file).toContain(id);
});
