import { answerTo } from './answer.mjs';

/**
 * Answers JSON lines on stdin, each with one line on stdout. A command that awaits does not hold up the next one.
 * `commands` maps a name to a function from the request to the value of `ok`; throw a Skip for what cannot be done.
 */
export const serveJsonLines = (commands) => {
  // A library that logs to stdout would be taken for an answer.
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (chunk, ...rest) => process.stderr.write(chunk, ...rest);
  const take = async (line) => {
    const { stop, ...answer } = await answerTo(line, commands);
    write(`${JSON.stringify(answer)}\n`);
    if (stop) process.exit(0);
  };
  // Not readline: it would also end a line at U+2028, which may stand in a JSON text.
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) if (line.trim() !== '') take(line);
  });
};
