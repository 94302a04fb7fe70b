import { lazy, Suspense, useState } from 'react';
import type { Environment } from '../api/types.ts';
import { useSearchState } from '../app/navigation/use-search-state.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { EnvironmentMark } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { SegmentedControl } from '../ui/choice.tsx';
import { Line, Note, Stack } from '../ui/layout.tsx';
import { ComboBox, Select } from '../ui/select.tsx';
import { Card, Notice } from '../ui/surface.tsx';
import { TextArea, TextField } from '../ui/text-field.tsx';
import { Time } from '../ui/time.tsx';
import { AttributeRows, newAttribute } from './attribute-rows.tsx';
import { t } from './messages.ts';
import {
  type ContextFault,
  inMode,
  moveIntoAttributes,
  NO_CONTEXT,
  type TypedContext,
} from './typed-context.ts';

const RecordedDialog = lazy(async () => ({
  default: (await import('./recorded-dialog.tsx')).RecordedDialog,
}));

/** A list of more flags is found by typing. */
const OPTIONS_MAX = 100;

interface ContextCardProps {
  readonly typed: TypedContext;
  readonly faults: readonly ContextFault[];
  readonly onChange: (typed: TypedContext) => void;
  readonly environment: Environment;
  readonly flagKey: string | undefined;
  readonly flagKeys: readonly string[];
  readonly nameOf: (key: string) => string;
  /** The attributes that the rules of the flag look at. */
  readonly asked: readonly string[];
  readonly onFlag: (key: string | undefined) => void;
}

/** The fields for the flag, the environment and the user. */
export function ContextCard(props: ContextCardProps) {
  const { typed, faults, onChange, environment } = props;
  const [isPicking, setPicking] = useState(false);
  const isEmpty = typed.userKey === '' && typed.attributes.length === 0 && typed.json === '';
  return (
    <Card
      title={t.context.title}
      end={
        <Button kind="text" onPress={() => setPicking(true)}>
          {t.context.recorded}
        </Button>
      }
    >
      <Stack>
        <FlagFields {...props} />
        <Line>
          <SegmentedControl
            label={t.context.mode}
            choices={[
              {
                id: 'fields',
                label: t.context.fields,
                isDisabled: typed.mode === 'json' && faults.length > 0,
              },
              { id: 'json', label: t.context.json },
            ]}
            value={typed.mode}
            onChange={(mode) => onChange(inMode(typed, mode))}
          />
          {!isEmpty && (
            <Button kind="text" onPress={() => onChange({ ...NO_CONTEXT, mode: typed.mode })}>
              {t.context.clear}
            </Button>
          )}
        </Line>
        {typed.mode === 'fields' ? <ContextFields {...props} /> : <ContextJson {...props} />}
        <Note tone="faint" isSmall>
          {typed.recordedAt === undefined ? (
            t.context.stays
          ) : (
            <>
              {t.context.recordedAt} <Time at={typed.recordedAt} />. {t.context.pseudonym}
            </>
          )}
        </Note>
      </Stack>
      {isPicking && (
        <Suspense>
          <RecordedDialog
            environment={environment}
            onPick={(picked) => {
              onChange(picked);
              setPicking(false);
            }}
            onClose={() => setPicking(false)}
          />
        </Suspense>
      )}
    </Card>
  );
}

function FlagFields({ environment, flagKey, flagKeys, nameOf, onFlag }: ContextCardProps) {
  const { environments } = useScope();
  const [, setSearch] = useSearchState(() => ({ environment: undefined as string | undefined }));
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const all = flagKeys.map((key) => ({ id: key, label: nameOf(key), note: key }));
  const chosen = flagKey === undefined ? '' : nameOf(flagKey).toLowerCase();
  const found =
    wanted === '' || wanted === chosen
      ? all
      : all.filter(({ id, label }) => id.includes(wanted) || label.toLowerCase().includes(wanted));
  return (
    <>
      <ComboBox
        // The field shows the name once it is known.
        key={`${flagKey} ${chosen}`}
        label={t.context.flag}
        placeholder={t.context.flagPlaceholder}
        options={withChosen(
          found.slice(0, OPTIONS_MAX),
          all.find(({ id }) => id === flagKey),
        )}
        value={flagKey}
        onChange={(key) => key !== undefined && onFlag(key)}
        onSearch={setText}
      />
      <Select
        label={t.context.environment}
        options={environments.map(({ key, name, type }) => ({
          id: key,
          label: name,
          mark: <EnvironmentMark type={type} />,
        }))}
        value={environment.key}
        onChange={(key) => setSearch({ environment: key })}
      />
    </>
  );
}

/** The chosen flag stays among the options, because the field forgets a choice that is not. */
function withChosen<T extends { readonly id: string }>(
  found: readonly T[],
  chosen: T | undefined,
): readonly T[] {
  return chosen === undefined || found.some(({ id }) => id === chosen.id) ? found : [...found, chosen];
}

function ContextFields({ typed, faults, onChange, asked }: ContextCardProps) {
  const given = new Set(typed.attributes.map(({ name }) => name));
  const missing = asked.filter((name) => !given.has(name));
  const add = (name: string) =>
    onChange({ ...typed, attributes: [...typed.attributes, newAttribute(typed.attributes, name)] });
  return (
    <>
      <TextField
        label={t.context.userKey}
        value={typed.userKey}
        onChange={(userKey) => onChange({ ...typed, userKey })}
        error={faults.some(({ kind }) => kind === 'key-long') ? t.faults.keyLong : undefined}
        isMono
        autoComplete="off"
      />
      <AttributeRows
        attributes={typed.attributes}
        faults={faults}
        onChange={(attributes) => onChange({ ...typed, attributes })}
        onAdd={() => add('')}
      />
      {missing.length > 0 && (
        <div>
          <Note tone="faint" isSmall>
            {t.context.asked}
          </Note>
          <Line>
            {missing.map((name) => (
              <Button key={name} kind="quiet" isSmall icon="plus" onPress={() => add(name)}>
                {name}
              </Button>
            ))}
          </Line>
        </div>
      )}
    </>
  );
}

const JSON_EXAMPLE = '{\n  "user_key": "ada",\n  "attributes": { "plan": "pro" }\n}';

function ContextJson({ typed, faults, onChange }: ContextCardProps) {
  const blocking = faults.find(({ kind }) => kind === 'not-json' || kind === 'not-object');
  const beside = faults.find((fault) => fault.kind === 'beside');
  return (
    <>
      <TextArea
        label={t.context.jsonLabel}
        rows={10}
        placeholder={JSON_EXAMPLE}
        value={typed.json}
        onChange={(json) => onChange({ ...typed, json })}
        error={blocking && (blocking.kind === 'not-json' ? t.faults.notJson : t.faults.notObject)}
        isMono
      />
      {faults.some(({ kind }) => kind === 'key-type') && (
        <Notice tone="warn" title={t.faults.keyType}>
          {t.faults.keyTypeText}
        </Notice>
      )}
      {faults.some(({ kind }) => kind === 'key-long') && <Notice tone="warn" title={t.faults.keyLong} />}
      {faults.some(({ kind }) => kind === 'attributes-type') && (
        <Notice tone="warn" title={t.faults.attributesType}>
          {t.faults.attributesTypeText}
        </Notice>
      )}
      {beside && (
        <Notice
          tone="warn"
          title={t.faults.beside(beside.names)}
          actions={
            <Button isSmall onPress={() => onChange({ ...typed, json: moveIntoAttributes(typed.json) })}>
              {t.faults.move}
            </Button>
          }
        >
          {t.faults.besideText}
        </Notice>
      )}
    </>
  );
}
