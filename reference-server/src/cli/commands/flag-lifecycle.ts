import { bodilessChangeOptions, changeOptions } from '../changes/change-options.ts';
import { confirm, confirmEverywhere } from '../changes/confirm.ts';
import { showChange } from '../changes/show-change.ts';
import type { Item } from '../client/document.ts';
import { FLAG_KEY } from '../input/arguments.ts';
import { parseTime } from '../input/times.ts';
import { parseCount } from '../input/values.ts';
import { findFlag, findProject, findTarget, listEnvironments } from '../lookup/find.ts';
import { renderFields } from '../output/table.ts';
import { type Command, WRITE_OPTIONS } from '../session/command.ts';

type Overview = Item<'GET /projects/{project_id}/flags'>;

const restore: Command = {
  name: 'flags restore',
  summary: 'Restore an archived flag',
  args: [FLAG_KEY],
  options: ['project', 'yes', ...WRITE_OPTIONS],
  notes: 'To go back to an earlier revision of a flag, use flags revert.',
  examples: ['flags restore new-checkout'],
  async run(session, { args: [key], options }) {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, key!);
    const environments = await listEnvironments(target.api, target.project);
    await confirmEverywhere(session, { project: target.project, environments }, `Restore ${flag.key}`);
    const { headers, query } = changeOptions(session);
    const answer = await target.api.change('POST /flags/{flag_id}/restore', {
      params: { flag_id: flag.id },
      headers,
      query: { ...query, environment_id: target.environment.id },
      body: { comment: options.comment },
    });
    await showChange(session, answer, ({ status }) => `Restored ${flag.key}; it is ${status}.\n`);
  },
};

const remove: Command = {
  name: 'flags delete',
  summary: 'Delete an archived flag for good; its key stays reserved',
  args: [FLAG_KEY],
  options: ['project', 'yes', ...WRITE_OPTIONS],
  notes: 'This cannot be undone. Archive the flag first, and remove it from the code: see refs list.',
  examples: ['flags delete old-banner', 'flags delete old-banner --dry-run'],
  async run(session, { args: [key] }) {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, key!);
    const { project } = target;
    await confirm(session, {
      action: `Delete flag ${flag.key}`,
      name: `project ${project.key}`,
      target: { project },
      typed: flag.key,
    });
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await target.api.change('DELETE /flags/{flag_id}/permanent', {
      params: { flag_id: flag.id },
      headers,
      query: { ...query, confirm_key: flag.key },
    });
    await showChange(
      session,
      answer ?? { id: flag.id, key: flag.key, status: 'deleted' },
      () => `Deleted ${flag.key}.\n`,
    );
  },
};

const stale: Command = {
  name: 'flags stale',
  summary: 'List the flags that can be removed from the code, and the health of the project',
  options: ['project', 'stale', 'limit'],
  examples: ['flags stale', 'flags stale --stale fully_rolled_out'],
  async run(session, { options }) {
    const api = session.api();
    const project = await findProject(session, api);
    const params = { project_id: project.id };
    const health = await api.call('GET /projects/{project_id}/flag-health', { params });
    const flags = await api.all(
      'GET /projects/{project_id}/flags',
      { params, query: { status: 'stale', stale_reason: options.stale } },
      parseCount('--limit', options.limit, 100),
    );
    session.show({ health, flags }, () => {
      const { active, stale: count, archived, draft } = health.by_status;
      const head = renderFields([
        ['project', project.key],
        ['health', `${health.health_score} of 100`],
        ['flags', `${active} active, ${count} stale, ${draft} drafts, ${archived} archived`],
        ['keys never used', health.unused_keys?.map(({ name }) => name).join(', ')],
      ]);
      if (flags.length === 0) return `${head}\nNo stale flags.\n`;
      return `${head}\n${session.table(flags, [
        { head: 'FLAG', cell: ({ key }) => key },
        { head: 'WHY', cell: (flag) => reasonsOf(flag) },
        { head: 'SINCE', cell: (flag) => flag.stale_since },
        { head: 'LAST EVALUATED', cell: (flag) => flag.last_evaluated_at },
        { head: 'OWNER', cell: ({ owner }) => owner?.email, isExtra: true },
      ])}`;
    });
  },
};

function reasonsOf({ stale_reasons }: Pick<Overview, 'stale_reasons'>): string {
  return stale_reasons.map((reason) => reason.replaceAll('_', ' ')).join(', ');
}

const mark: Command = {
  name: 'flags mark-stale',
  summary: 'Mark a flag as stale, so that its owner removes it',
  args: [FLAG_KEY],
  options: ['project', 'stale', 'comment', 'dry-run'],
  optionSummaries: { stale: 'Reason. Default manual.' },
  examples: ['flags mark-stale old-banner -m "The campaign is over"'],
  async run(session, { args: [key], options }) {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, key!);
    const { headers, query } = changeOptions(session);
    const answer = await target.api.change('POST /flags/{flag_id}/mark-stale', {
      params: { flag_id: flag.id },
      headers,
      query: { ...query, environment_id: target.environment.id },
      body: { reason: options.stale, comment: options.comment },
    });
    await showChange(session, answer, (done) => `${done.key} is ${done.status}: ${reasonsOf(done)}.\n`);
  },
};

const unmark: Command = {
  name: 'flags unmark-stale',
  summary: 'Say that a flag is still needed',
  args: [FLAG_KEY],
  options: ['project', 'until', 'comment', 'dry-run'],
  optionSummaries: { until: 'Time until which it does not become stale again: ISO 8601, or +30d.' },
  examples: ['flags unmark-stale old-banner --until +30d -m "The campaign was extended"'],
  async run(session, { args: [key], options }) {
    const target = await findTarget(session, { useDefault: true });
    const flag = await findFlag(session, target, key!);
    const { headers, query } = changeOptions(session);
    const answer = await target.api.change('POST /flags/{flag_id}/unmark-stale', {
      params: { flag_id: flag.id },
      headers,
      query: { ...query, environment_id: target.environment.id },
      body: {
        snooze_until: options.until === undefined ? undefined : parseTime('--until', options.until),
        comment: options.comment,
      },
    });
    await showChange(session, answer, (done) => `${done.key} is ${done.status}.\n`);
  },
};

const reserved: Command = {
  name: 'reserved-keys list',
  alias: 'reserved-keys',
  summary: 'List the keys of deleted flags that no new flag can use yet',
  options: ['project'],
  examples: ['reserved-keys list'],
  async run(session) {
    const api = session.api();
    const project = await findProject(session, api);
    const keys = await api.all('GET /projects/{project_id}/reserved-keys', {
      params: { project_id: project.id },
    });
    session.show(keys, () =>
      keys.length === 0
        ? `Project ${project.key} has no reserved keys.\n`
        : session.table(keys, [
            { head: 'KEY', cell: ({ key }) => key },
            { head: 'RESERVED', cell: (one) => one.reserved_at },
            { head: 'UNTIL', cell: (one) => one.reserved_until },
          ]),
    );
  },
};

const release: Command = {
  name: 'reserved-keys release',
  summary: 'Allow a new flag to use the key of a deleted one',
  args: [{ name: 'key', summary: 'Key from reserved-keys list' }],
  options: ['project', 'yes', 'comment', 'dry-run'],
  notes: 'Old applications that still evaluate the key will get the new flag.',
  examples: ['reserved-keys release old-banner'],
  async run(session, { args: [key] }) {
    const api = session.api();
    const project = await findProject(session, api);
    await confirm(session, {
      action: `Release key ${key}`,
      name: `project ${project.key}`,
      target: { project },
    });
    const { headers, query } = bodilessChangeOptions(session);
    const answer = await api.change('POST /projects/{project_id}/reserved-keys/{key}/release', {
      params: { project_id: project.id, key: key! },
      headers,
      query,
    });
    await showChange(session, answer ?? { key, status: 'released' }, () => `Released ${key}.\n`);
  },
};

export const flagLifecycleCommands: readonly Command[] = [restore, remove, stale, mark, unmark];
export const reservedKeyCommands: readonly Command[] = [reserved, release];
