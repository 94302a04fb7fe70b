import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { load, loadAll } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { generateKey } from '../../reference-server/src/publishing/key-format.ts';
import { parseConfig } from '../../relay-proxy/src/config/parse-config.ts';
import { debianTool } from '../debian-tools.ts';
import { root } from '../sources.ts';

const run = promisify(execFile);
const deploy = join(root, 'deploy');
const compose = await debianTool('docker-compose');
const kubectl = await debianTool('kubectl');
const because = ({ missing }: { readonly missing?: string | undefined }): string =>
  missing === undefined ? '' : ` (skipped: ${missing})`;

const KEY = { FLAGSVC_RELAY_KEYS: generateKey('production') };
const URL_OF_SERVER = { FLAGSVC_RELAY_UPSTREAM_URL: 'https://flags.example.com' };
const NAME = { 'app.kubernetes.io/name': 'flagsvc-relay' };
const noFile = (): string => {
  throw new Error('no file');
};
/** The configuration; throws its faults. */
const read = (env: Readonly<Record<string, string>>) => {
  const result = parseConfig(env, noFile);
  if ('faults' in result) throw new Error(JSON.stringify(result.faults));
  expect(result.warnings).toEqual([]);
  return result.config;
};

describe.skipIf(compose.missing !== undefined)(
  `relay.yaml, read by Docker Compose${because(compose)}`,
  () => {
    const config = (env: NodeJS.ProcessEnv) =>
      run('python3', [compose.path!, '--file', join(deploy, 'compose', 'relay.yaml'), 'config'], {
        env: { ...('env' in compose ? compose.env : {}), ...env },
      });

    test('is valid, keeps its data on a volume, and listens only for this machine', async () => {
      const { stdout } = await config({ ...KEY, ...URL_OF_SERVER });
      const { relay } = (load(stdout) as { services: Record<string, Record<string, never>> }).services;
      expect(read(relay!['environment']!)).toMatchObject({ host: '0.0.0.0', port: 8100, dataDir: '/data' });
      expect(relay).toMatchObject({ read_only: true, ports: ['127.0.0.1:8100:8100/tcp'] });
      expect(JSON.stringify(relay!['volumes'])).toContain('/data');
    });

    test.each(['FLAGSVC_RELAY_KEYS', 'FLAGSVC_RELAY_UPSTREAM_URL'])(
      'does not start without %s, and says where it belongs',
      async (name) => {
        await expect(config({ ...KEY, ...URL_OF_SERVER, [name]: '' })).rejects.toMatchObject({
          stderr: expect.stringContaining('write it to relay.env as relay.yaml says'),
        });
      },
    );
  },
);

describe.skipIf(kubectl.missing !== undefined)(
  `the relay's Kustomize base, rendered by kubectl${because(kubectl)}`,
  () => {
    // biome-ignore lint/suspicious/noExplicitAny: manifests have many shapes, and the assertions check them.
    const render = async (): Promise<readonly any[]> => {
      const { stdout } = await run(kubectl.path!, ['kustomize', join(deploy, 'kubernetes', 'relay')]);
      return loadAll(stdout);
    };

    test('has all objects and no secret, selects its pods, and keeps a volume for each relay', async () => {
      const manifests = await render();
      const find = (kind: string) => manifests.find((each) => each.kind === kind);
      expect(manifests.map(({ kind }) => kind).sort()).toEqual([
        'ConfigMap',
        'NetworkPolicy',
        'PodDisruptionBudget',
        'Service',
        'ServiceAccount',
        'StatefulSet',
      ]);
      const { spec } = find('StatefulSet');
      const [container] = spec.template.spec.containers;
      const { version } = JSON.parse(readFileSync(join(root, 'relay-proxy', 'package.json'), 'utf8'));
      expect(container.image).toBe(`flagsvc-server:${version}`);
      expect(read({ ...find('ConfigMap').data, ...KEY })).toMatchObject({
        metricsPort: 9464,
        dataDir: '/data',
      });
      expect(container.envFrom).toEqual([
        { configMapRef: { name: find('ConfigMap').metadata.name } },
        { secretRef: { name: 'flagsvc-relay' } },
      ]);
      expect([spec.selector.matchLabels, find('Service').spec.selector]).toEqual([NAME, NAME]);
      expect(find('PodDisruptionBudget').spec.selector.matchLabels).toEqual(NAME);
      expect(find('NetworkPolicy').spec.podSelector.matchLabels).toEqual(NAME);
      expect(spec.volumeClaimTemplates).toMatchObject([{ metadata: { name: 'data' } }]);
      expect(container.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      // A relay that cannot reach its server must not be restarted.
      expect(container.livenessProbe.httpGet.path).toBe('/health/live');
    });
  },
);

test("the example of the unit's environment file is a valid configuration without a key", () => {
  const text = readFileSync(join(deploy, 'systemd', 'flagsvc-relay.env.example'), 'utf8');
  const pairs = text.split('\n').filter((line) => /^[A-Z]/.test(line));
  const example = Object.fromEntries(pairs.map((line) => line.split(/=(.*)/s, 2))) as Record<string, string>;
  expect(read({ ...example, ...KEY })).toMatchObject({ dataDir: '/var/lib/flagsvc-relay', port: 8100 });
  expect(() => read(example)).toThrow('names no key');
});
