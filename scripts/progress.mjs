// Says what a slow step is doing. Plain JavaScript, because it runs on the machine's own Node.
const TERMINAL_MS = 200;
const LOG_MS = 5_000;

/**
 * Prints a line of text with the seconds since the start: on a terminal it is kept up to date, in a log it is repeated.
 * Returns a function that ends the line.
 */
export function showProgress(describe, output = process.stdout) {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const line = () => `${describe()}, ${seconds()} s …`;
  const print = () => output.write(output.isTTY ? `\r\x1b[K${line()}` : `${line()}\n`);
  print();
  const timer = setInterval(print, output.isTTY ? TERMINAL_MS : LOG_MS);
  return () => {
    clearInterval(timer);
    output.write(output.isTTY ? `\r\x1b[K${line()}\n` : `${line()}\n`);
  };
}
