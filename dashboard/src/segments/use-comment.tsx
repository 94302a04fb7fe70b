import { type ReactNode, useState } from 'react';
import { useScope } from '../app/scope/use-scope.ts';
import { TextField } from '../ui/text-field.tsx';
import { t } from './messages.ts';

/** The reason for a change, when an environment of the project asks for one: a segment belongs to all of them. */
export function useComment(): {
  readonly comment: string;
  /** Why it cannot be saved yet. */
  readonly whyNot: string | undefined;
  readonly field: ReactNode;
} {
  const { environments } = useScope();
  const [comment, setComment] = useState('');
  const isAsked = environments.some((one) => one.require_comment);
  return {
    comment: comment.trim(),
    whyNot: isAsked && comment.trim() === '' ? t.commentFirst : undefined,
    field: isAsked && (
      <TextField
        label={t.comment}
        help={t.commentHelp}
        value={comment}
        onChange={setComment}
        maxLength={2_000}
      />
    ),
  };
}
