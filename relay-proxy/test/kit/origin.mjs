import { createServer } from 'node:http';
import { createRulesetSigner, createServingPath } from '@flagsvc/reference-server/data-plane';

/** The only API key, of kind `relay`, which may also evaluate. */
export const KEY = 'sdk-prod-NdDILzryKrprOoI1RGOtQXiv6aScP7Na1YE6Ru';

/** A server that publishes one ruleset at a time, signed. `publish` resolves to false for what no server can publish. */
export const startOrigin = async () => {
  const signer = createRulesetSigner('the secret of the kit, which signs');
  const { prepare } = createServingPath({ fast: true });
  let published;
  let answer;

  const identity = () => ({
    environment_id: published.environmentId,
    project_id: 'prj_1',
    organization_id: 'org_1',
  });
  const key = { status: 'active', key_id: 'key_1', kind: 'relay', expires_at: null };
  const routes = {
    'GET /.well-known/flagsvc-ruleset-keys.json': () => [200, { keys: signer.keys }],
    'POST /api/v1/relay/keys': ({ keys }) => [
      200,
      { data: { ...identity(), keys: keys.map((each) => (each === KEY ? key : { status: 'invalid' })) } },
    ],
    'GET /api/v1/sdk/ruleset': () => answer,
  };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const route = routes[`${request.method} ${request.url}`];
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks)) : undefined;
    const [status, value, headers = {}] = route?.(body) ?? [404, {}];
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async publish(ruleset) {
      try {
        published = await prepare(ruleset, 'e1');
        const signature = await signer.sign(published);
        answer = [200, { data: ruleset }, { etag: published.etag, 'x-flagsvc-signature': signature }];
        return typeof published.environmentId === 'string';
      } catch {
        return false;
      }
    },
    close: () => server.close(),
  };
};
