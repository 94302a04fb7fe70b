import { isOnPostgres } from '../../../reference-server/test/database.ts';
import * as postgres from '../../../reference-server/test/postgres-setup.ts';
import { makeShop } from './shop-database.ts';
import { openWarehouse } from './warehouse.ts';

/** Environment variables that tell each test file where the shop is. */
export const SHOP_URL = 'FLAGSVC_TEST_SHOP_URL';
export const WAREHOUSE_PORT = 'FLAGSVC_TEST_WAREHOUSE_PORT';

/** Fills the shop once for all test files, and keeps the receiver of its webhooks open. */
export async function setup(): Promise<() => Promise<void>> {
  if (isOnPostgres) await postgres.setup();
  const warehouse = await openWarehouse();
  const shop = await makeShop(`http://127.0.0.1:${warehouse.port}`);
  process.env[SHOP_URL] = shop.url;
  process.env[WAREHOUSE_PORT] = String(warehouse.port);
  return async () => {
    await shop.remove();
    await warehouse.close();
    if (isOnPostgres) await postgres.teardown();
  };
}
