import { useState } from 'react';
import { FileTrigger } from 'react-aria-components';
import { useScope } from '../app/scope/use-scope.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox, RadioGroup } from '../ui/choice.tsx';
import { Form } from '../ui/form.tsx';
import { Line, Note, Stack } from '../ui/layout.tsx';
import { Select } from '../ui/select.tsx';
import { TextField } from '../ui/text-field.tsx';
import { BYTES_MAX, formatOf, type ImportDraft, type ImportFormat } from './import-draft.ts';
import { t } from './messages.ts';
import styles from './transfer.module.css';

const words = t.import;
/** Formats that the server reads. Files of other products come here. */
const FORMATS: readonly ImportFormat[] = ['flagsvc', 'flagd', 'launchdarkly', 'unleash', 'growthbook'];

interface ImportFieldsProps {
  readonly draft: ImportDraft;
  readonly onChange: (part: Partial<ImportDraft>) => void;
  readonly onCheck: () => void;
  readonly isChecking: boolean;
}

/** The file, and what to do with it. */
export function ImportFields({ draft, onChange, onCheck, isChecking }: ImportFieldsProps) {
  const { file, format, mode, environments, comment } = draft;
  const whyNot =
    file === undefined
      ? words.fileFirst
      : format === 'flagd' && environments.length === 0
        ? words.environmentFirst
        : undefined;
  return (
    <div className={styles.form}>
      <Form onSubmit={() => whyNot === undefined && !isChecking && onCheck()}>
        <FileField draft={draft} onChange={onChange} />
        <Select
          label={words.format}
          options={FORMATS.map((id) => ({ id, label: words.formats[id] }))}
          value={format}
          onChange={(next) => onChange({ format: next })}
        />
        {format !== 'flagsvc' && <EnvironmentChoice draft={draft} onChange={onChange} />}
        <RadioGroup
          label={words.mode}
          choices={words.modes}
          value={mode}
          onChange={(next) => onChange({ mode: next })}
        />
        <TextField
          label={words.comment}
          help={words.commentHelp}
          name="comment"
          value={comment}
          onChange={(next) => onChange({ comment: next })}
          maxLength={500}
        />
        <div>
          <Button type="submit" whyNot={whyNot} isPending={isChecking}>
            {words.check}
          </Button>
        </div>
      </Form>
    </div>
  );
}

function FileField({ draft: { file }, onChange }: Pick<ImportFieldsProps, 'draft' | 'onChange'>) {
  const [problem, setProblem] = useState<string>();
  const read = async (chosen: File | undefined): Promise<void> => {
    if (chosen === undefined) return;
    setProblem(chosen.size > BYTES_MAX ? words.tooLarge : undefined);
    if (chosen.size > BYTES_MAX) return onChange({ file: undefined });
    try {
      const text = await chosen.text();
      onChange({ file: { name: chosen.name, bytes: chosen.size, text }, format: formatOf(text) });
    } catch {
      setProblem(words.unreadable);
    }
  };
  return (
    <Line>
      <FileTrigger
        acceptedFileTypes={['.yaml', '.yml', '.json', 'application/json', 'application/yaml']}
        onSelect={(files) => void read(files?.[0])}
      >
        <Button icon="list">{file === undefined ? words.choose : words.chooseOther}</Button>
      </FileTrigger>
      <span className={styles.file} role="status">
        {problem !== undefined ? (
          <Note tone="bad">{problem}</Note>
        ) : file === undefined ? (
          <Note tone="faint">{words.noFile}</Note>
        ) : (
          words.file(file.name, file.bytes)
        )}
      </span>
    </Line>
  );
}

function EnvironmentChoice({ draft, onChange }: Pick<ImportFieldsProps, 'draft' | 'onChange'>) {
  const all = useScope().environments;
  const { environments } = draft;
  return (
    <fieldset className={styles.environments}>
      <legend>{words.environments}</legend>
      <Stack gap="close">
        <Note tone="faint" isSmall>
          {words.environmentsHelp}
        </Note>
        <Line>
          {all.map(({ key, name }) => (
            <Checkbox
              key={key}
              label={name}
              isSelected={environments.includes(key)}
              onChange={(isChosen) =>
                onChange({
                  environments: isChosen ? [...environments, key] : environments.filter((one) => one !== key),
                })
              }
            />
          ))}
        </Line>
      </Stack>
    </fieldset>
  );
}
