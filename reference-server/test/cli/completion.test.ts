import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { runCommand } from './command-line.ts';

const script = async (shell: string) => (await runCommand(['completion', shell], {})).out;

test('completes in bash', async () => {
  const lines = `${await script('bash')}
complete -p flagsvc
COMP_WORDS=(flagsvc "\${@:1}"); COMP_CWORD=$#; _flagsvc; echo "\${COMPREPLY[@]}"`;
  const complete = (...words: string[]) => {
    const [how, found] = execFileSync('bash', ['-c', lines, 'bash', ...words])
      .toString()
      .trim()
      .split('\n');
    // With this option, bash completes file names where the function finds no words.
    expect(how).toBe('complete -o default -F _flagsvc flagsvc');
    return found ?? '';
  };
  expect(complete('fl')).toBe('flags');
  expect(complete('flags', 'to')).toBe('toggle');
  expect(complete('flags', 'toggle', 'my-flag', 'o')).toBe('on off');
  expect(complete('flags', 'toggle', 'my-flag', '')).toBe('on off');
  expect(complete('flags', 'list', '--st')).toBe('--status');
  expect(complete('flags', 'list', '--status', 'act')).toBe('active');
  expect(complete('flags', 'list', '--status', '=', 'act')).toBe('active');
  expect(complete('flags', 'list', '--status', '=')).toContain('archived');
  expect(complete('--project', 'web', '-e', 'staging', 'flags', 'arch')).toBe('archive');
  expect(complete('flags', 'list', '-e', 'staging', '--st')).toBe('--status');
  expect(complete('completion', 'z')).toBe('zsh');
  expect(complete('help', 'fl')).toBe('flags');
  expect(complete('help', 'flags', 'arch')).toBe('archive');
  for (const words of [
    ['import', ''],
    ['import', 'fl'],
    ['export', '-o', ''],
    ['refs', 'scan', 's'],
  ]) {
    expect(complete(...words)).toBe('');
  }
  expect(complete('import', '--mo')).toBe('--mode');
});

test('writes scripts for zsh and fish', async () => {
  const zsh = await script('zsh');
  expect(zsh).toContain('bashcompinit');
  // Zsh would read ":COMP_CWORD" as a modifier and complete nothing.
  expect(zsh).not.toMatch(/:[A-Z_]+-1\}/);
  const fish = await script('fish');
  for (const line of [
    "-n '__fish_seen_subcommand_from flags; and __fish_seen_subcommand_from toggle' -a 'on off'",
    "-n '__fish_seen_subcommand_from import' -F",
    "-n '__fish_seen_subcommand_from export' -l output -s o -r -F -d 'Write to this file instead of standard output.'",
    "-n __fish_use_subcommand -a help -d 'Show help for a command'",
  ]) {
    expect(fish).toContain(`complete -c flagsvc ${line}\n`);
  }
});
