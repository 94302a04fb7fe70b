import type { Api } from '../api.ts';
import type { CallOptions } from '../api-call.ts';
import { booleanFlag } from '../server.ts';

/** A project whose production environment will be frozen. */
export interface Frozen {
  /** The admin's client of the API, with production as its environment. */
  readonly api: Api;
  readonly flagId: string;
  readonly environmentId: string;
  /** An environment that is never frozen. */
  readonly developmentId: string;
  readonly segmentId: string;
  readonly projectId: string;
  readonly projectKey: string;
}

/** Prepares a change before the freeze. Returns the call that makes the change. */
export type Way = (frozen: Frozen) => Promise<(options: CallOptions) => Promise<unknown>>;

const RULE = {
  priority: 1,
  name: 'r',
  conditions: [],
  percentage_rollout: [{ variation: 'on', percentage: 40 }],
};

/** A change of the frozen ruleset by each operation that a freeze window blocks. */
export const FREEZE_WAYS: Readonly<Record<string, Way>> = {
  async createFlag({ api }) {
    return (options) => api.flags.create(booleanFlag('new'), options);
  },
  async updateFlag({ api, flagId }) {
    return (options) => api.flags.update(flagId, { targeting_rules: [RULE] }, options);
  },
  async patchFlag({ api, flagId }) {
    const instructions = [{ op: 'set_enabled' as const, enabled: true }];
    return (options) => api.flags.patch(flagId, { instructions }, options);
  },
  async toggleFlag({ api, flagId }) {
    return (options) => api.flags.toggle(flagId, true, options);
  },
  async archiveFlag({ api, flagId }) {
    return (options) => api.flags.archive(flagId, options);
  },
  async cloneFlag({ api, flagId }) {
    return (options) => api.flags.clone(flagId, { key: 'copy' }, options);
  },
  async upsertFlag({ api, projectId }) {
    const { key, ...flag } = booleanFlag('checkout');
    return (options) => api.flags.upsert(projectId, key, { ...flag, targeting_rules: [RULE] }, options);
  },
  async createSegment({ api, projectId }) {
    return (options) => api.segments.create(projectId, { key: 'new', conditions: [] }, options);
  },
  async updateSegment({ api, segmentId }) {
    const conditions = [{ attribute: 'plan', operator: 'is' as const, value: 'pro' }];
    return (options) => api.segments.update(segmentId, { conditions }, options);
  },
  async restoreSegmentRevision({ api, segmentId }) {
    await api.segments.update(segmentId, { excluded: ['u-1'] });
    return (options) => api.segments.restoreRevision(segmentId, 1, {}, options);
  },
  async deleteSegment({ api, segmentId }) {
    return (options) => api.segments.delete(segmentId, options);
  },
  async deleteEnvironment({ api, environmentId }) {
    return (options) => api.environments.delete(environmentId, { ...options, confirm_key: 'production' });
  },
  async updateEnvironment({ api, environmentId }) {
    return (options) => api.environments.update(environmentId, { type: 'staging' }, options);
  },
  async archiveEnvironment({ api, environmentId }) {
    return (options) => api.environments.archive(environmentId, {}, options);
  },
  async restoreEnvironment({ api, environmentId }) {
    await api.environments.archive(environmentId);
    return (options) => api.environments.restore(environmentId, {}, options);
  },
  async archiveProject({ api, projectId, projectKey }) {
    return (options) => api.projects.archive(projectId, { ...options, confirm_key: projectKey });
  },
  async restoreFlagRevision({ api, flagId }) {
    await api.flags.update(flagId, { default_variation: 'on' });
    return (options) => api.flags.restoreRevision(flagId, 1, {}, options);
  },
  async activateFlag({ api }) {
    const draft = await api.flags.create(booleanFlag('draft', { draft: true }));
    return (options) => api.flags.activate(draft.id, {}, options);
  },
  async restoreFlag({ api, flagId }) {
    await api.flags.archive(flagId);
    return (options) => api.flags.restore(flagId, {}, options);
  },
  async deleteFlag({ api, flagId }) {
    await api.flags.archive(flagId);
    return (options) => api.flags.delete(flagId, { ...options, confirm_key: 'checkout' });
  },
  async restoreProject({ api, projectId, projectKey }) {
    await api.projects.archive(projectId, { confirm_key: projectKey });
    return (options) => api.projects.restore(projectId, options);
  },
  async promoteFlag({ api, flagId, developmentId, environmentId }) {
    await api.in(developmentId).flags.update(flagId, { targeting_rules: [RULE] });
    const targets = { source_environment_id: developmentId, target_environment_ids: [environmentId] };
    return (options) => api.flags.promote(flagId, targets, options);
  },
  async promoteEnvironment({ api, flagId, developmentId, environmentId }) {
    await api.in(developmentId).flags.update(flagId, { targeting_rules: [RULE] });
    const target = { target_environment_id: environmentId };
    return (options) => api.environments.promote(developmentId, target, options);
  },
  async changeFlags({ api, flagId, environmentId }) {
    const body = {
      action: 'toggle' as const,
      flag_ids: [flagId],
      environment_id: environmentId,
      params: { enabled: true },
      atomic: true,
    };
    return (options) => api.flags.bulk(body, options);
  },
  async applyImport({ api, projectId }) {
    const document = { apiVersion: 'flagsvc/v1', kind: 'Project', flags: [booleanFlag('imported')] };
    const planned = await api.imports.create(projectId, { document });
    return (options) => api.imports.apply(planned.id, {}, options);
  },
  async executeScheduledChange({ api, flagId, environmentId }) {
    const planned = await api.scheduledChanges.create(flagId, {
      environment_id: environmentId,
      execute_at: '2026-12-24T00:00:00Z',
      changes: [{ op: 'set_enabled', enabled: true }],
    });
    return (options) => api.scheduledChanges.execute(planned.id, {}, options);
  },
};
