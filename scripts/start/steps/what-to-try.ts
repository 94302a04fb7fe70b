/** The last output of `npm start`: addresses, keys and commands to paste. */
import type { Settings } from '../settings.ts';
import type { Demo } from './demo.ts';

/** Prints the addresses and credentials. `page` is the address of the React example; undefined when it is not served. */
export function showWhatToTry(
  { origin, baseUrl, dashboardUrl }: Settings,
  { apiKeys, clientKey, email, password, reviewer }: Demo,
  page: string | undefined,
): void {
  const key = apiKeys['development'];
  const context = { user_key: 'ada', attributes: { email: 'ada@example.com', country: 'NL', plan: 'pro' } };
  const json = "-H 'Content-Type: application/json'";
  const lines = [
    '',
    'What to try next',
    '',
    ...(dashboardUrl ? [`  Dashboard      ${dashboardUrl}   (log in as the admin)`] : []),
    ...(page ? [`  Example page   ${page}   (watch a rollout, switch a flag)`] : []),
    `  API            ${baseUrl}`,
    `  Documentation  ${origin}/docs   (schema: /openapi.json)`,
    `  Health         ${origin}/health`,
    `  Admin          ${email}   ${password ? `password ${password}` : '(the first start showed its password)'}`,
    ...(reviewer
      ? [
          `  Second admin   ${reviewer.email}   password ${reviewer.password}`,
          '                 (reviews break-glass sessions; the passwords are shown only once)',
        ]
      : []),
    ...Object.entries(apiKeys).map(([name, value]) => `  SDK key        ${name.padEnd(12)} ${value}`),
    ...(clientKey ? [`  Page key       development  ${clientKey}`] : []),
    '  Variables      .data/demo.env   (address and keys, for the quick starts)',
    '',
    'Evaluate all flags for one user:',
    `  curl -s ${baseUrl}/evaluate -H 'X-API-Key: ${key}' ${json} -d '${JSON.stringify({ flags: ['*'], context })}'`,
    'Fetch the ruleset that SDKs evaluate locally:',
    `  curl -si ${baseUrl}/sdk/ruleset -H 'X-API-Key: ${key}'`,
    ...(password
      ? [
          'Log in to use the rest of the API:',
          `  curl -s ${baseUrl}/auth/login ${json} -d '${JSON.stringify({ email, password })}'`,
        ]
      : [
          'Evaluate one flag:',
          `  curl -s ${baseUrl}/evaluate -H 'X-API-Key: ${key}' ${json} -d '${JSON.stringify({ flags: ['dark-mode'], context })}'`,
        ]),
    'Use the command line in this folder:',
    `  npx flagsvc login --url ${origin} --email ${email}`,
    '  npx flagsvc flags list -e development',
    '',
    'The server keeps running. Ctrl-C stops it.',
  ];
  console.log(lines.join('\n'));
}
