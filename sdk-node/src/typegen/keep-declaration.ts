import { writeDeclaration } from './declaration.ts';
import { type FollowOptions, followRuleset } from './follow-ruleset.ts';
import { readSchemas } from './read-schemas.ts';
import { updateFile } from './update-file.ts';

/** What to keep up to date. */
export interface KeepOptions extends Omit<FollowOptions, 'onRuleset'> {
  /** The declaration. */
  readonly out: string;
  /** A folder of schemas, read again at each change of the flags. */
  readonly schemas?: string | undefined;
  /** Called after the file was written. */
  readonly onWritten: () => void;
}

/** Writes the declaration now and after each change of the flags that it depends on, until the signal is aborted. */
export const keepDeclaration = ({ out, schemas, onWritten, ...options }: KeepOptions): Promise<void> => {
  let last: string | undefined;
  // One write at a time, in the order of the changes.
  let writing = Promise.resolve();
  return followRuleset({
    ...options,
    onRuleset(ruleset) {
      writing = writing.then(async () => {
        try {
          const text = writeDeclaration(ruleset, await readSchemas(schemas));
          if (text === last || options.signal.aborted) return;
          if (await updateFile(out, text)) onWritten();
          last = text;
        } catch (error) {
          const { code, message } = error as NodeJS.ErrnoException;
          options.onFault(code ? `${out} cannot be written (${code})` : message);
        }
      });
    },
  });
};
