/** The last thing that `npm start` prints: addresses, keys, and lines that work when pasted. */

export interface Running {
  readonly origin: string;
  readonly baseUrl: string;
  readonly apiKeys: Readonly<Record<string, string>>;
  /** Of kind `client`; undefined when an older start left the data. */
  readonly clientKey: string | undefined;
  readonly email: string;
  /** Only at the first start. */
  readonly password: string | undefined;
  /** Where the React example is; undefined when it could not be served. */
  readonly page: string | undefined;
}

export function showWhatToTry(running: Running): void {
  const { origin, baseUrl, apiKeys, clientKey, email, password, page } = running;
  const key = apiKeys['development'];
  const context = { user_key: 'ada', attributes: { email: 'ada@example.com', country: 'NL', plan: 'pro' } };
  const json = "-H 'Content-Type: application/json'";
  const lines = [
    '',
    'What to try next',
    '',
    ...(page ? [`  Example page   ${page}   (a rollout to watch, a flag to switch)`] : []),
    `  API            ${baseUrl}`,
    `  Documentation  ${origin}/docs   (the schema: ${origin}/openapi.json)`,
    `  Health         ${origin}/health`,
    `  Admin          ${email}   ${password ? `password ${password}   (shown only this once)` : '(its password was shown at the first start)'}`,
    ...Object.entries(apiKeys).map(([name, value]) => `  SDK key        ${name.padEnd(12)} ${value}`),
    ...(clientKey ? [`  Client key     development  ${clientKey}   (for pages)`] : []),
    '',
    'Evaluate all flags for one user:',
    `  curl -s ${baseUrl}/evaluate -H 'X-API-Key: ${key}' ${json} -d '${JSON.stringify({ flags: ['*'], context })}'`,
    'Fetch the ruleset that SDKs evaluate by themselves:',
    `  curl -si ${baseUrl}/sdk/ruleset -H 'X-API-Key: ${key}'`,
    ...(password
      ? [
          'Log in, for everything else:',
          `  curl -s ${baseUrl}/auth/login ${json} -d '${JSON.stringify({ email, password })}'`,
        ]
      : [
          'Ask for one flag only:',
          `  curl -s ${baseUrl}/evaluate -H 'X-API-Key: ${key}' ${json} -d '${JSON.stringify({ flags: ['dark-mode'], context })}'`,
        ]),
    'Use the command line, in this folder:',
    `  npx flagsvc login --url ${origin} --email ${email}`,
    '  npx flagsvc flags list -e development',
    '',
    'The server goes on running. Ctrl-C stops it.',
  ];
  console.log(lines.join('\n'));
}
