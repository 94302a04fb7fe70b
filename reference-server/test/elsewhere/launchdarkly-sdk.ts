/** LaunchDarkly's packages are CommonJS, whose names Node.js finds only through the default import. */
import sdk from '@launchdarkly/node-server-sdk';
import doors from '@launchdarkly/node-server-sdk/integrations';

export const { init } = sdk;
export const integrations = doors;
