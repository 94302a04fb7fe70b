import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { freePort } from '../../scripts/free-port.ts';

const folder = import.meta.dirname;
const readme = readFileSync(join(folder, 'README.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, name]) => name === language)
    .map(([, , text]) => text!);

let server: ChildProcess | undefined;
afterEach(() => server?.kill('SIGKILL'));

test("the README's commands start a server with the plugin and print the output that it shows", async () => {
  const port = await freePort();
  const env = {
    ...process.env,
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    // Loads the sources, so that nothing has to be built.
    NODE_OPTIONS: '--conditions=@flagsvc/source',
    FLAGSVC_PORT: String(port),
  };
  const [start, ...steps] = blocks('sh');
  server = spawn('bash', ['-c', `exec ${start}`], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  server.stdout!.on('data', (text) => {
    output += text;
  });
  server.once('exit', () => {
    output += '(ended)';
  });
  await expect.poll(() => output, { timeout: 30_000 }).toMatch(/listening on|\(ended\)/);

  const script = steps.join('\n').replaceAll('127.0.0.1:8000', `127.0.0.1:${port}`);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { ...env, token: '' },
  });
  expect(stdout).toBe(blocks('text').join(''));
  expect(output).toContain('CHG-1000 used for flag.created\nCHG-1001 used for flag.toggled\n');
  server.kill('SIGTERM');
  await once(server, 'exit');
});
