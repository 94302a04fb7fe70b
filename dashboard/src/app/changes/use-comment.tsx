import { type ReactNode, useState } from 'react';
import { TextField } from '../../ui/text-field.tsx';
import { t } from './messages.ts';

/** The reason for a change, where an environment asks for one. */
export function useComment(options: {
  readonly isRequired: boolean;
  /** What the field begins with. */
  readonly start?: string | undefined;
  readonly autoFocus?: boolean;
}): {
  readonly comment: string;
  /** Why the change cannot be sent yet. */
  readonly whyNot: string | undefined;
  /** The field; nothing where no reason is required. */
  readonly field: ReactNode;
} {
  const { isRequired, start = '', autoFocus } = options;
  const [text, setText] = useState(start);
  const comment = text.trim();
  return {
    comment,
    whyNot: isRequired && comment === '' ? t.commentFirst : undefined,
    field: isRequired && (
      <TextField
        label={t.comment}
        help={t.commentHelp}
        value={text}
        onChange={setText}
        maxLength={2_000}
        {...(autoFocus && { autoFocus })}
      />
    ),
  };
}
