import { afterAll, beforeAll, test } from 'vitest';
import { newDatabase, type SharedDatabase } from '../database.ts';
import {
  expectBurstLimit,
  expectExactLogins,
  expectSharedBackoff,
  expectSteadyLimit,
  type Nodes,
  startNodes,
} from '../shared-limits.ts';

let database: SharedDatabase;
let nodes: Nodes;

beforeAll(async () => {
  database = await newDatabase();
  nodes = await startNodes(database.url);
});
afterAll(async () => {
  await nodes?.close();
  await database.remove();
});

test('three nodes at 20 requests a second let at most 110 of a limit of 100 pass', () =>
  expectSteadyLimit(nodes));

test('after a burst at all nodes, nothing more passes in the same window', () => expectBurstLimit(nodes));

test('logins of one address are counted exactly', () => expectExactLogins(nodes, '198.51.100.1'));

test('failed logins at one account count together', () => expectSharedBackoff(nodes, '203.0.113'));
