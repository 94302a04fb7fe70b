import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import type { Segment } from '../api/types.ts';
import { useChange } from '../app/changes/use-change.ts';
import { SEGMENT } from '../app/conditions/condition.ts';
import { conditionsText, readNumber } from '../app/conditions/condition-words.ts';
import { useApi } from '../app/services.ts';
import { Button } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Form } from '../ui/form.tsx';
import { Line, Note, Stack } from '../ui/layout.tsx';
import { Card, Notice } from '../ui/surface.tsx';
import { TextField } from '../ui/text-field.tsx';
import { t } from './messages.ts';

/** Asks the server whether a user is in, and why. The fields are what the conditions ask for. */
export function TestCard({ segment }: { readonly segment: Segment }) {
  const api = useApi();
  const [userKey, setUserKey] = useState('');
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const names = [...new Set(segment.conditions.map(({ attribute }) => attribute))].filter(
    (name) => name !== SEGMENT && name !== 'user_key',
  );
  const attributes = Object.fromEntries(
    names
      .filter((name) => (typed[name] ?? '') !== '')
      .map((name) => [name, readValue(segment, name, typed[name]!)]),
  );
  const test = useChange({
    send: (context: { readonly user_key: string; readonly attributes: Record<string, unknown> }) =>
      unwrap(
        api.POST('/api/v1/segments/{segment_id}/test', {
          params: { path: { segment_id: segment.id } },
          body: { context },
        }),
      ),
    outdates: [],
  });
  return (
    <Card title={t.test}>
      <Form onSubmit={() => void test.save({ user_key: userKey, attributes })}>
        <Note tone="muted">{t.testText}</Note>
        <TextField label={t.userKey} value={userKey} onChange={setUserKey} maxLength={1_024} isMono />
        {names.map((name) => (
          <TextField
            key={name}
            label={name}
            value={typed[name] ?? ''}
            onChange={(text) => setTyped({ ...typed, [name]: text })}
          />
        ))}
        <Line>
          <Button type="submit" isPending={test.state === 'saving'}>
            {t.run}
          </Button>
        </Line>
        {test.problem && <ErrorState problem={test.problem} />}
        {test.output && <Answer answer={test.output.data} />}
      </Form>
    </Card>
  );
}

function Answer(props: {
  readonly answer: {
    readonly matches: boolean;
    readonly included: boolean;
    readonly excluded: boolean;
    readonly conditions: readonly (Segment['conditions'][number] & { readonly matched: boolean })[];
  };
}) {
  const { matches, included, excluded, conditions } = props.answer;
  return (
    <Notice tone={matches ? 'good' : 'neutral'} title={matches ? t.isIn : t.isOut} isUrgent>
      {excluded ? (
        t.becauseExcluded
      ) : included ? (
        t.becauseIncluded
      ) : (
        <Stack gap="close">
          {conditions.map((condition) => (
            <Note key={JSON.stringify(condition)} tone={condition.matched ? 'good' : 'bad'}>
              {condition.matched ? '✓' : '✗'} {conditionsText([condition])}
            </Note>
          ))}
        </Stack>
      )}
    </Notice>
  );
}

/** What was typed, as the type that the conditions compare with. */
function readValue(segment: Segment, name: string, text: string): string | number | boolean {
  const values = segment.conditions
    .filter(({ attribute }) => attribute === name)
    .flatMap(({ value }) => value);
  if (values.some((one) => typeof one === 'boolean') && /^(true|false)$/.test(text)) return text === 'true';
  return values.some((one) => typeof one === 'number') ? (readNumber(text) ?? text) : text;
}
