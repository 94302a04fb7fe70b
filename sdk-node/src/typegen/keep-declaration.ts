import { writeDeclaration } from './declaration.ts';
import { type FollowOptions, followRuleset } from './follow-ruleset.ts';
import { updateFile } from './update-file.ts';

/** What to keep up to date. */
export interface KeepOptions extends Omit<FollowOptions, 'onRuleset'> {
  /** The declaration. */
  readonly out: string;
  /** Called after the file was written. */
  readonly onWritten: () => void;
}

/** Writes the declaration now and after each change of the flags that it depends on, until the signal is aborted. */
export const keepDeclaration = ({ out, onWritten, ...options }: KeepOptions): Promise<void> => {
  let last: string | undefined;
  // One write at a time, in the order of the changes.
  let writing = Promise.resolve();
  return followRuleset({
    ...options,
    onRuleset(ruleset) {
      const text = writeDeclaration(ruleset);
      if (text === last) return;
      last = text;
      writing = writing.then(async () => {
        try {
          if (!options.signal.aborted && (await updateFile(out, text))) onWritten();
        } catch (error) {
          last = undefined;
          options.onFault(`${out} cannot be written (${(error as NodeJS.ErrnoException).code})`);
        }
      });
    },
  });
};
