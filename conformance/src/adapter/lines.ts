/**
 * Cuts a stream into lines at U+000A only. Node's readline also cuts at U+2028 and U+2029, which may stand in a JSON
 * text as they are.
 */
export const createLineReader = (
  onLine: (line: string) => void,
): { push(chunk: Buffer): void; end(): void } => {
  const decoder = new TextDecoder();
  let rest = '';
  const take = (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line.trim() !== '') onLine(line);
  };
  return {
    push: (chunk) => take(decoder.decode(chunk, { stream: true })),
    end() {
      take(`${decoder.decode()}\n`);
      rest = '';
    },
  };
};

/** JSON in ASCII only: what an adapter takes its stdin to be encoded in cannot matter, nor where it ends a line. */
export const toAsciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
