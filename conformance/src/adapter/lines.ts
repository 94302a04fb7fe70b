/**
 * Splits a stream into lines at U+000A only. Node's readline also splits at U+2028 and U+2029, which JSON texts may
 * contain unescaped.
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

/** JSON in ASCII only, so that neither the encoding of an adapter's stdin nor its line splitting matters. */
export const toAsciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
