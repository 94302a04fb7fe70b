import { escapeControls, hideSecrets } from './log-text.ts';

const LEVELS: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};
const WARN = 40;
const ERROR = 50;
const OPERATION_WIDTH = 26;
const ACTOR_WIDTH = 24;

/** SGR codes; `none` prints as it is. */
const STYLES = { red: 31, green: 32, yellow: 33, dim: 2, none: 0 };
type Style = keyof typeof STYLES;
type Paint = (style: Style, text: string) => string;

/** Without a stack if the same cause was logged with one in the last minute. */
interface LoggedError {
  readonly stack?: string;
  readonly message?: string;
  readonly cause?: LoggedError;
}

/** The members of a line that pino writes, and those of a request. */
interface Entry {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly err?: LoggedError;
  readonly [field: string]: unknown;
}

interface RequestEntry extends Entry {
  readonly operation: string;
  readonly method: string;
  /** Absent if the client left before it got an answer. */
  readonly status?: number;
  readonly ms: number;
  readonly code?: string;
  readonly actor: Readonly<Record<'kind' | 'id' | 'email' | 'name', string | undefined>> | null;
}

/**
 * Returns a function that turns a JSON line of the log into aligned columns for people. Only the lines of a stack
 * follow, indented: a line that begins with a time is always an entry of its own.
 */
export function createTerminalFormat({ color }: { readonly color: boolean }): (line: string) => string {
  const paint: Paint = (style, text) =>
    color && style !== 'none' && text !== '' ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
  return (line) => {
    const entry = JSON.parse(hideSecrets(line)) as Entry;
    const { level, time, err } = entry;
    const levelStyle = level >= ERROR ? 'red' : level >= WARN ? 'yellow' : level < 30 ? 'dim' : 'none';
    const columns = [
      paint('dim', clockOf(time)),
      paint(levelStyle, (LEVELS[level] ?? String(level)).padEnd(5)),
      isRequest(entry) ? describeRequest(entry, paint) : describe(entry, paint),
    ];
    if (err !== undefined && err.stack === undefined)
      columns.push(paint('dim', `error=${textOf(messagesOf(err))}`));
    const stack = err?.stack === undefined ? '' : `\n${indent(err.stack)}`;
    return `${columns.join('  ').trimEnd()}${paint('dim', stack)}\n`;
  };
}

function isRequest(entry: Entry): entry is RequestEntry {
  return typeof entry['operation'] === 'string' && typeof entry['ms'] === 'number';
}

/** Status, method, operation, duration, actor, error code; then everything else by name. */
function describeRequest(entry: RequestEntry, paint: Paint): string {
  const { operation, method, status = 0, ms, code, actor, path, ...rest } = entry;
  const statusStyle = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green';
  const { email, name, id, kind } = actor ?? {};
  const columns = [
    paint(statusStyle, status === 0 ? ' - ' : String(status)),
    escapeControls(method).padEnd(6),
    escapeControls(operation).padEnd(OPERATION_WIDTH),
    `${String(ms).padStart(5)} ms`,
    escapeControls(email ?? name ?? id ?? kind ?? '-').padEnd(ACTOR_WIDTH),
  ];
  if (code !== undefined) columns.push(paint(statusStyle, escapeControls(code)));
  columns.push(paint('dim', [escapeControls(String(path)), ...fieldsOf(rest)].join('  ')));
  return columns.join('  ');
}

function describe(entry: Entry, paint: Paint): string {
  return [escapeControls(entry.msg ?? ''), paint('dim', fieldsOf(entry).join('  '))].join('  ');
}

const SHOWN_ELSEWHERE = new Set(['level', 'time', 'msg', 'err', 'pid', 'hostname']);

function fieldsOf(entry: object): string[] {
  return Object.entries(entry)
    .filter(([name]) => !SHOWN_ELSEWHERE.has(name))
    .map(([name, value]) => `${escapeControls(name)}=${textOf(value)}`);
}

/** Quotes what could be taken for several fields. */
function textOf(value: unknown): string {
  const isPlain = typeof value === 'string' && /^[^\s"=]+$/.test(value);
  return escapeControls(isPlain ? value : JSON.stringify(value));
}

function messagesOf({ message = '', cause }: LoggedError): string {
  if (cause === undefined) return message;
  const causes = messagesOf(cause);
  return causes.startsWith(message) ? causes : `${message}: ${causes}`;
}

function indent(stack: string): string {
  return stack
    .split('\n')
    .map((line) => `    ${escapeControls(line)}`)
    .join('\n');
}

/** Local time, because the reader sits in front of it. */
function clockOf(time: number): string {
  const at = new Date(time);
  const two = (part: number) => String(part).padStart(2, '0');
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
  return `${clock}.${String(at.getMilliseconds()).padStart(3, '0')}`;
}
