// The npm scripts of the root. Each is a list of steps, and a step is a list of arguments for the repository's Node.
import { NODE_FLAGS } from '../reference-server/bin/node-flags.mjs';

const source = '--conditions=@flagsvc/source';
const build = ['scripts/build.mjs'];
const document = [source, 'scripts/openapi.ts'];

export const tasks = {
  build: [build],
  typecheck: [document, ['scripts/typecheck.mjs']],
  lint: [['node_modules/@biomejs/biome/bin/biome', 'check', '.']],
  format: [['node_modules/@biomejs/biome/bin/biome', 'check', '--write', '.']],
  serve: [[...NODE_FLAGS, source, 'reference-server/src/process/main.ts']],
  relay: [[source, 'relay-proxy/src/process/main.ts']],
  'release:schema': [document, [source, 'reference-server/test/upgrades/make-release.ts']],
  'dev:dashboard': [build, ['node_modules/vite/bin/vite.js', 'dashboard']],
  pack: [build, ['scripts/pack.ts']],
  release: [build, ['scripts/release/main.ts']],
  image: [build, ['scripts/image/build.ts']],
  bench: [['--expose-gc', source, 'sdk-core/bench/run.ts']],
  'bench:assignment': [[source, 'sdk-core/bench/assignment.ts']],
  'bench:client': [['--expose-gc', source, 'sdk-node/bench/flag.bench.ts']],
  'bench:server': [[source, 'reference-server/bench/server.bench.ts']],
  language: [[source, 'scripts/language/list.ts']],
  'language:sample': [[source, 'scripts/language/sample.ts']],
  'language:all': [[source, 'scripts/language/all.ts']],
  'fuzz:api': [[source, 'reference-server/test/openapi/run.ts']],
  'fuzz:bodies': [[source, 'reference-server/test/bodies/run.ts']],
  'fuzz:flagd': [[source, 'reference-server/test/flagd/run.ts']],
  'fuzz:import': [[source, 'reference-server/test/elsewhere/run.ts']],
  'fuzz:relay': [[source, 'relay-proxy/test/equality/run.ts']],
  fuzz: [[source, 'sdk-core/fuzz/run.ts']],
  faults: [[source, 'sdk-node/test/campaign.ts']],
  'power-loss': [[source, 'reference-server/test/faults/run.ts']],
  crash: [build, [source, 'reference-server/test/crash/run.ts']],
  'bench:control-plane': [[source, 'reference-server/bench/control-plane.bench.ts']],
  'bench:intake': [[source, 'reference-server/bench/intake.bench.ts']],
  'bench:overload': [[source, 'reference-server/bench/overload.bench.ts']],
  'bench:growth': [[source, 'reference-server/bench/growth.bench.ts']],
  'bench:stream': [[source, 'reference-server/bench/stream.bench.ts']],
  'bench:statistics': [[source, 'reference-server/bench/statistics.bench.ts']],
  'bench:relay': [build, [source, 'relay-proxy/bench/run.ts']],
  'bench:react': [build, ['sdk-react/bench/run.ts']],
  'test:examples': [
    ['scripts/install-on-demand.mjs', 'examples/recipes'],
    ['node_modules/vitest/vitest.mjs', 'run', '--project', 'tests*', 'examples/recipes'],
  ],
  'test:hermes': [
    ['scripts/install-on-demand.mjs', 'sdk-browser/test/hermes'],
    ['node_modules/vitest/vitest.mjs', 'run', '--project', 'tests*', 'sdk-browser/test/hermes.test.ts'],
  ],
  'test:postgres': [
    [...['node_modules/vitest/vitest.mjs', 'run'], ...['--mode', 'postgres', '--project', 'postgres']],
  ],
  'test:quick-starts': [
    build,
    [
      ...['--env-file=scripts/quick-starts/online.env', 'node_modules/vitest/vitest.mjs', 'run'],
      ...['--project', 'tests', 'scripts/quick-starts'],
    ],
  ],
  'test:relay': [
    [
      ...['--env-file=relay-proxy/test/campaign.env', 'node_modules/vitest/vitest.mjs', 'run'],
      ...['--project', 'tests', 'relay-proxy'],
    ],
  ],
  'test:dashboard': [
    build,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.dashboard.config.ts', '--maxWorkers=2'],
  ],
  'dashboard:screens': [build, [source, 'dashboard/test/screens/take.ts']],
  'dashboard:pictures': [build, [source, 'dashboard/test/screens/pictures.ts']],
  'dashboard:shop': [build, [source, 'dashboard/test/shop/serve.ts']],
  'bench:dashboard': [build, [source, 'dashboard/bench/run.ts']],
  'test:firefox': [build, [source, 'sdk-browser/test/firefox.ts']],
  'conformance:runtimes': [build, ['conformance/runtimes/run.ts']],
  'conformance:mutants': [['conformance/mutants/run.ts']],
  'conformance:client-mutants': [[source, 'conformance/src/client-mutants/main.ts']],
  'conformance:executable': [[source, 'conformance/executable/build.ts']],
  'conformance:browser': [
    [
      ...[source, 'conformance/bin/flagsvc-conformance.mjs', 'run', '--suite', 'sdk', '--ws', '0'],
      ...['--adapter', `node_modules/.bin/node ${source} conformance/adapters/sdk-browser.mjs`],
    ],
  ],
};

/** Tasks that need neither a build nor what tests need. */
export const runningTasks = ['serve', 'relay'];
