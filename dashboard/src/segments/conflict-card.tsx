import { Button } from '../ui/button.tsx';
import { Diff } from '../ui/diff.tsx';
import { Line, Stack } from '../ui/layout.tsx';
import { Notice } from '../ui/surface.tsx';
import { t } from './messages.ts';
import { type Edit, fieldLine } from './segment-edit.ts';

/** Both versions of each field that two people changed, with the choice between them. */
export function ConflictCard(props: {
  readonly fields: readonly (keyof Edit)[];
  readonly theirs: Edit;
  readonly mine: Edit;
  readonly onTake: (part: Partial<Edit>) => void;
}) {
  const { fields, theirs, mine, onTake } = props;
  return (
    <Notice tone="warn" title={t.conflict} isUrgent>
      <Stack gap="close">
        <span>{t.conflictText}</span>
        {fields.map((field) => (
          <Stack key={field} gap="close">
            <Diff lines={[fieldLine(field, theirs, mine)]} isPlain />
            <Line>
              <Button isSmall onPress={() => onTake({ [field]: mine[field] })}>
                {t.keepMine(t.nameOf[field])}
              </Button>
              <Button isSmall onPress={() => onTake({ [field]: theirs[field] })}>
                {t.takeTheirs(t.nameOf[field])}
              </Button>
            </Line>
          </Stack>
        ))}
      </Stack>
    </Notice>
  );
}
