import { createRequire } from 'node:module';

/** LaunchDarkly's packages are CommonJS, of which Node.js does not find all names. */
const require = createRequire(import.meta.url);

export const { init } =
  require('@launchdarkly/node-server-sdk') as typeof import('@launchdarkly/node-server-sdk');
export const integrations =
  require('@launchdarkly/node-server-sdk/integrations') as typeof import('@launchdarkly/node-server-sdk/integrations');
