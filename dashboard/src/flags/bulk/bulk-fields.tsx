import { useMembers } from '../../app/scope/use-member-names.ts';
import { useRights } from '../../app/scope/use-rights.ts';
import { useScope } from '../../app/scope/use-scope.ts';
import { Select } from '../../ui/select.tsx';
import { TagInput } from '../../ui/tag-input.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useTags } from '../use-flag-list.ts';
import type { BulkAction, Step } from './bulk-action.ts';
import { t } from './messages.ts';

const DAY_MS = 86_400_000;
const SNOOZES = ['30', '90', '365'] as const;
const NOBODY = 'nobody';

/** What a person chose in the fields of an action. */
export interface BulkChoice {
  readonly tags: readonly string[];
  readonly owner: string | undefined;
  readonly environmentId: string | undefined;
  readonly days: string;
  readonly comment: string;
}

export const NO_CHOICE: BulkChoice = {
  tags: [],
  owner: undefined,
  environmentId: undefined,
  days: SNOOZES[0],
  comment: '',
};

/** The call that the choice stands for; undefined while something is missing. */
export function stepOf(
  action: BulkAction,
  { tags, owner, environmentId, days, comment }: BulkChoice,
  { anywhere, openedAt }: { readonly anywhere: string; readonly openedAt: number },
): Step | undefined {
  const step = { action, environmentId: anywhere, ...(comment.trim() !== '' && { comment: comment.trim() }) };
  switch (action) {
    case 'add_tags':
    case 'remove_tags':
      return tags.length === 0 ? undefined : { ...step, params: { tags: [...tags] } };
    case 'set_owner':
      return owner === undefined
        ? undefined
        : { ...step, params: { owner_id: owner === NOBODY ? null : owner } };
    case 'toggle':
      return environmentId === undefined ? undefined : { ...step, environmentId, params: { enabled: false } };
    case 'unmark_stale': {
      const until = new Date(openedAt + Number(days) * DAY_MS).toISOString();
      return { ...step, params: { snooze_until: until } };
    }
    default:
      return step;
  }
}

/** The fields that an action needs, and the reason for the history. */
export function BulkFields(props: {
  readonly action: BulkAction;
  readonly choice: BulkChoice;
  readonly onChange: (choice: BulkChoice) => void;
}) {
  const { action, choice, onChange } = props;
  const set = (part: Partial<BulkChoice>) => onChange({ ...choice, ...part });
  const known = (useTags() ?? []).map(({ tag }) => tag);
  return (
    <>
      {(action === 'add_tags' || action === 'remove_tags') && (
        <TagInput
          label={t.tags}
          values={choice.tags}
          suggestions={known}
          onChange={(tags) => set({ tags })}
        />
      )}
      {action === 'set_owner' && <OwnerField value={choice.owner} onChange={(owner) => set({ owner })} />}
      {action === 'toggle' && (
        <EnvironmentField value={choice.environmentId} onChange={(environmentId) => set({ environmentId })} />
      )}
      {action === 'unmark_stale' && (
        <Select
          label={t.days}
          options={SNOOZES.map((id) => ({ id, label: t.forDays(Number(id)) }))}
          value={choice.days}
          onChange={(days) => set({ days })}
        />
      )}
      <TextField
        label={t.comment}
        help={t.commentHelp}
        value={choice.comment}
        onChange={(comment) => set({ comment })}
        maxLength={2_000}
      />
    </>
  );
}

function OwnerField(props: { readonly value: string | undefined; readonly onChange: (id: string) => void }) {
  const people = useMembers().map(({ id, name, email }) => ({ id, label: name, note: email }));
  return <Select {...props} label={t.owner} options={[{ id: NOBODY, label: t.nobody }, ...people]} />;
}

/** The environments that the person may change. */
function EnvironmentField(props: {
  readonly value: string | undefined;
  readonly onChange: (id: string) => void;
}) {
  const { environments } = useScope();
  const rights = useRights();
  const options = environments
    .filter((one) => rights.whyNot(one) === undefined)
    .map(({ id, name }) => ({ id, label: name }));
  return <Select {...props} label={t.environment} options={options} />;
}
