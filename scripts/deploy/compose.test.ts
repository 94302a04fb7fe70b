import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { debianTool } from '../debian-tools.ts';
import { root } from '../sources.ts';

const run = promisify(execFile);
const compose = await debianTool('docker-compose');
const file = join(root, 'deploy', 'compose', 'compose.yaml');
const SECRETS = [
  'FLAGSVC_JWT_SECRET_KEY',
  'FLAGSVC_API_SECRET_KEY',
  'POSTGRES_PASSWORD',
  'DATABASE_PASSWORD',
];

interface Service {
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
}

const because = compose.missing === undefined ? '' : ` (skipped: ${compose.missing})`;
describe.skipIf(compose.missing !== undefined)(`compose.yaml, read by Docker Compose${because}`, () => {
  const config = (env: NodeJS.ProcessEnv) =>
    run('python3', [compose.path!, '--file', file, 'config'], {
      env: { ...('env' in compose ? compose.env : {}), ...env },
    });
  const secrets = Object.fromEntries(SECRETS.map((name) => [name, `the-${name.toLowerCase()}`]));

  test('is valid, with the safe settings and only loopback addresses', async () => {
    const { stdout } = await config(secrets);
    const { services } = load(stdout) as { services: Record<string, Service> };
    const { environment, ports = [], read_only } = services['server']!;
    expect(environment).toMatchObject({
      FLAGSVC_JWT_SECRET_KEY: 'the-flagsvc_jwt_secret_key',
      FLAGSVC_API_SECRET_KEY: 'the-flagsvc_api_secret_key',
      FLAGSVC_DATABASE_URL: 'postgres://flagsvc:the-database_password@database:5432/flagsvc',
      FLAGSVC_REGISTRATION: 'invite',
      FLAGSVC_PASSWORD_BLOCKLIST: 'on',
    });
    expect(read_only).toBe(true);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(services['database']).not.toHaveProperty('ports');
  });

  test.each(SECRETS)('does not start without %s, and says how to generate it', async (name) => {
    await expect(config({ ...secrets, [name]: '' })).rejects.toMatchObject({
      stderr: expect.stringContaining('generate the secrets as compose.yaml says'),
    });
  });
});

test('the command in compose.yaml generates exactly the secrets that the file needs', async () => {
  expect(readFileSync(file, 'utf8')).toContain('secrets --postgres > .env');
  const program = ['--conditions=@flagsvc/source', 'reference-server/src/process/main.ts'];
  const { stdout } = await run(process.execPath, [...program, 'secrets', '--postgres'], { cwd: root });
  const names = stdout
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0]);
  expect(names).toEqual(SECRETS);
  // The password is part of a URL and of a shell's environment file.
  expect(stdout).toMatch(/^([A-Z_]+=[\w-]{43}\n)+$/);
});
