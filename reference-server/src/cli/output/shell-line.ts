/** A `flagsvc` command, quoted for a shell. */
export function shellLine(words: readonly string[]): string {
  return ['flagsvc', ...words].map(shellWord).join(' ');
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A sentence followed by commands to copy, one per line. */
export function withCommands(sentence: string, ...commands: readonly string[]): string {
  return [sentence, ...commands.map((command) => `  ${command}`)].join('\n');
}

export function loginHint(url: string): string {
  return withCommands('Log in, or set FLAGSVC_TOKEN to a machine token.', loginLine(url));
}

export function loginLine(url: string): string {
  return shellLine(['login', '--url', url]);
}
