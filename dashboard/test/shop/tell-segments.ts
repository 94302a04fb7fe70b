import type { Body } from '../../../reference-server/test/api-call.ts';
import type { Event } from './story.ts';
import { DAY_MS, type World } from './world.ts';

type Segment = Body<'POST /projects/{project_id}/segments'>;

const customers = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `u-${String(from + index).padStart(6, '0')}`);

const segments: readonly Segment[] = [
  {
    key: 'staff',
    name: 'Staff',
    description: 'Everyone with an account of the company.',
    conditions: [{ attribute: 'email', operator: 'contains', value: '@northwind.example' }],
    tags: ['ops'],
  },
  {
    key: 'beta-testers',
    name: 'Beta testers',
    conditions: [],
    included: customers(20_400, 38),
    excluded: ['u-020402'],
  },
  {
    key: 'paying-members',
    name: 'Paying members',
    description: 'Plans that pay each month, wherever they are.',
    conditions: [{ attribute: 'plan', operator: 'one_of', value: ['plus', 'pro', 'family'] }],
    tags: ['pricing'],
  },
  {
    key: 'students',
    name: 'Students',
    conditions: [{ attribute: 'student_until', operator: 'gt', value: 2026 }],
    tags: ['pricing'],
  },
  {
    key: 'business',
    name: 'Business accounts',
    conditions: [{ attribute: 'account_type', operator: 'is', value: 'business' }],
    tags: ['b2b'],
  },
  {
    key: 'benelux',
    name: 'Benelux',
    conditions: [{ attribute: 'country', operator: 'one_of', value: ['NL', 'BE', 'LU'] }],
  },
  {
    key: 'new-customers',
    name: 'New customers',
    description: 'Fewer than two orders.',
    conditions: [{ attribute: 'orders', operator: 'lt', value: 2 }],
  },
  {
    key: 'app-users',
    name: 'App, current version',
    conditions: [
      { attribute: 'platform', operator: 'is', value: 'app' },
      { attribute: 'app_version', operator: 'version_gt', value: '4.0.0' },
    ],
    tags: ['app'],
  },
  {
    key: 'newsletter',
    name: 'Newsletter readers',
    description: 'From the mail system, every Monday.',
    conditions: [],
    included: customers(100_000, 10_000),
  },
];

/** All segments are older than the flags that use them. */
export function tellSegments(world: World): readonly Event[] {
  return segments.map((segment, index) => ({
    agoMs: (733 - index / 10) * DAY_MS,
    run: async () => void (await (await world.as('admin')).segments.create(world.projectId, segment)),
  }));
}
