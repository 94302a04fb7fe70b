import { answerTo } from './answer.mjs';

/**
 * Answers each JSON line on stdin with one line on stdout. Commands run concurrently. `commands` maps a name to a
 * function that takes the request and returns the value of `ok`, or throws a Skip.
 */
export const serveJsonLines = (commands) => {
  // Other writes to stdout go to stderr, because the kit would read them as answers.
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (chunk, ...rest) => process.stderr.write(chunk, ...rest);
  const take = async (line) => {
    const { stop, ...answer } = await answerTo(line, commands);
    write(`${JSON.stringify(answer)}\n`);
    if (stop) process.exit(0);
  };
  // Not readline: it also splits lines at U+2028, which JSON text may contain.
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) if (line.trim() !== '') take(line);
  });
};
