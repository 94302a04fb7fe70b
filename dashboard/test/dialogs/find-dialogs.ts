import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCE = join(import.meta.dirname, '..', '..', 'src');
/** The parts themselves, and the pages for developers. */
const PARTS = /^(ui|design)\/|\.test\.tsx$/;
const COMPONENT = /^(?:export )?function (\w+)/;
const DIALOG = /<(?:Dialog|Drawer|AlertDialog|TypedConfirmation|Popover|ModalOverlay)\b/;

/** Every component that opens something over the page, as `flag/switch-dialog SwitchDialog`. */
export function findDialogs(): readonly string[] {
  const found = globSync('**/*.tsx', { cwd: SOURCE })
    .filter((file) => !PARTS.test(file))
    .flatMap((file) => {
      let component = '';
      return readFileSync(join(SOURCE, file), 'utf8')
        .split('\n')
        .flatMap((line) => {
          component = COMPONENT.exec(line)?.[1] ?? component;
          return DIALOG.test(line) ? [`${file.slice(0, -'.tsx'.length)} ${component}`] : [];
        });
    });
  return [...new Set(found)].toSorted();
}
