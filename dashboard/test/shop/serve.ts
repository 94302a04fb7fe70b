// `npm run dashboard:shop`: the dashboard of the shop, until Ctrl+C.
import { once } from 'node:events';
import { startShop } from '../harness/start-shop.ts';
import { PASSWORD, people } from './people.ts';

const PORT = 3_000;

const shop = await startShop({ dashboardPort: Number(process.env['FLAGSVC_DASHBOARD_PORT'] ?? PORT) });
console.log(`Northwind Market is open at ${shop.origin}. Everyone's password: ${PASSWORD}`);
for (const { name, email, role } of Object.values(people)) console.log(`  ${email}  ${name}, ${role}`);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await shop.close();
