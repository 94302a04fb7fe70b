import { spawn } from 'node:child_process';
import { root, type Settings } from '../settings.ts';
import type { DemoState } from './demo-database.ts';

/** Runs `examples/quickstart` against the demo's development environment. Throws when it fails. */
export function runQuickstart(
  { baseUrl }: Settings,
  { apiKeys }: DemoState,
  accessToken: string | undefined,
): Promise<void> {
  const child = spawn(process.execPath, ['--conditions=@flagsvc/source', 'examples/quickstart/src/main.ts'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      FLAGSVC_URL: baseUrl,
      FLAGSVC_API_KEY: apiKeys['development'],
      ...(accessToken !== undefined && { FLAGSVC_ACCESS_TOKEN: accessToken }),
    },
  });
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => (code ? reject(new Error('The quickstart failed; see above.')) : resolve()));
  });
}
