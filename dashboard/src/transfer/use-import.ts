import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { type ApiProblem, toProblem } from '../api/problem.ts';
import { attemptHeaders } from '../app/changes/use-change.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useApi } from '../app/services.ts';
import {
  bodyOf,
  faultsOf,
  type ImportDraft,
  type ImportFault,
  type ImportRecord,
  type PlannedChange,
  plannedChanges,
} from './import-draft.ts';

/** What a file would do to the project. */
export interface ImportPlan {
  /** Undefined when the file could not be read at all. */
  readonly record: ImportRecord | undefined;
  readonly faults: readonly ImportFault[];
  readonly changes: readonly PlannedChange[];
}

/** How long an answer may wait for the import to end, in seconds. */
const WAIT = 'wait=10';
const OUTDATED = ['flag', 'segment', 'environment', 'project', 'audit', 'tag'];

/** Plans an import, applies it, and follows it until it has ended. */
export function useImport(breakGlass: string | undefined) {
  const api = useApi();
  const queries = useQueryClient();
  const { project } = useScope();
  const [plan, setPlan] = useState<ImportPlan>();
  const [ended, setEnded] = useState<ImportRecord>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [doing, setDoing] = useState<'checking' | 'applying'>();
  const header = attemptHeaders({ breakGlass });

  const run = async (what: 'checking' | 'applying', step: () => Promise<void>): Promise<void> => {
    setDoing(what);
    setProblem(undefined);
    try {
      await step();
    } catch (error) {
      setProblem(toProblem(error));
    } finally {
      setDoing(undefined);
    }
  };

  const check = (draft: ImportDraft) =>
    run('checking', async () => {
      setEnded(undefined);
      setPlan(undefined);
      try {
        const path = { project_id: project.id };
        const sent = api.POST('/api/v1/projects/{project_id}/imports', {
          params: { path },
          body: bodyOf(draft),
        });
        const record = (await unwrap(sent)).data as ImportRecord;
        const faults = record.plan.errors;
        const changes = faults.length > 0 || countOf(record) === 0 ? [] : await preview(record.id, draft);
        setPlan({ record, faults, changes });
      } catch (error) {
        const { code, details } = toProblem(error);
        if (code !== 'IMPORT_INVALID') throw error;
        setPlan({ record: undefined, faults: faultsOf(details), changes: [] });
      }
    });
  const preview = async (id: string, draft: ImportDraft) =>
    plannedChanges(
      await unwrap(
        api.POST('/api/v1/imports/{import_id}/apply', {
          params: { path: { import_id: id }, query: { dry_run: true }, header },
          body: commentOf(draft),
        }),
      ),
    );
  const apply = (id: string, draft: ImportDraft) =>
    run('applying', async () => {
      const path = { import_id: id };
      const sent = api.POST('/api/v1/imports/{import_id}/apply', {
        params: { path, header },
        headers: { prefer: WAIT },
        body: commentOf(draft),
      });
      let record = (await unwrap(sent)).data as ImportRecord;
      while (record.status === 'applying') {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        record = (await unwrap(api.GET('/api/v1/imports/{import_id}', { params: { path } }))).data;
      }
      setEnded(record);
      for (const name of OUTDATED) void queries.invalidateQueries({ queryKey: [name] });
    });
  return {
    plan,
    ended,
    problem,
    doing,
    check: (draft: ImportDraft) => void check(draft),
    apply: (id: string, draft: ImportDraft) => void apply(id, draft),
    forget: () => {
      setPlan(undefined);
      setEnded(undefined);
      setProblem(undefined);
    },
  };
}

const commentOf = ({ comment }: ImportDraft) => (comment.trim() === '' ? {} : { comment: comment.trim() });

/** How many things an import changes. */
export function countOf({ plan: { create, update, archive } }: ImportRecord): number {
  return [create, update, archive]
    .flatMap(({ environments, segments, flags }) => [environments, segments, flags])
    .reduce((sum, keys) => sum + keys.length, 0);
}

/** The person's open break-glass session for this project; undefined when there is none. */
export function useOpenGlass(): string | undefined {
  const api = useApi();
  const { me, project, role } = useScope();
  const { data } = useQuery({
    queryKey: ['break_glass', 'open'],
    enabled: role === 'admin',
    queryFn: async () => {
      const query = { status: 'open' as const, per_page: 50 };
      return (await unwrap(api.GET('/api/v1/break-glass', { params: { query } }))).data;
    },
  });
  return data?.find(
    ({ opened_by: by, scope: { project_ids: projects, flag_ids: flags } }) =>
      by.id === me.id && flags === null && (projects.length === 0 || projects.includes(project.id)),
  )?.id;
}
