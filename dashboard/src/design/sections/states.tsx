import {
  Avatar,
  Badge,
  EnvironmentBadge,
  type FlagState,
  Person,
  StateGlyph,
  Tag,
  VariationChip,
} from '../../ui/badge.tsx';
import { DataList } from '../../ui/data-list.tsx';
import { Line, Note, Stack } from '../../ui/layout.tsx';
import { Card, EmptyState, Facts, ProgressBar, Skeleton } from '../../ui/surface.tsx';

const flagStates: readonly (readonly [string, FlagState])[] = [
  ['On', { kind: 'on' }],
  ['Off', { kind: 'off' }],
  ['40 %', { kind: 'share', share: 0.4 }],
  ['4 rules', { kind: 'rules' }],
];

/** Everything that says how something is. */
export function States() {
  return (
    <>
      <Marks />
      <Lists />
    </>
  );
}

function Marks() {
  return (
    <Card title="Marks">
      <Stack>
        <Line>
          {(['neutral', 'good', 'warn', 'bad', 'info', 'draft'] as const).map((tone) => (
            <Badge key={tone} tone={tone}>
              {tone}
            </Badge>
          ))}
        </Line>
        <Line>
          {(['development', 'staging', 'production'] as const).map((type) => (
            <EnvironmentBadge
              key={type}
              environment={{ name: type, type }}
              isFrozen={type === 'production'}
            />
          ))}
        </Line>
        <Line isWide>
          {flagStates.map(([words, state]) => (
            <span key={words}>
              <StateGlyph state={state} /> {words}
            </span>
          ))}
        </Line>
        <Line>
          {['one-page', 'classic', 'express', 'fourth', 'fifth'].map((name, index) => (
            <VariationChip key={name} series={index + 1}>
              {name}
            </VariationChip>
          ))}
        </Line>
        <Line isWide>
          {['Mara Lindqvist', 'Jonas Weber', 'Aiko Tanaka'].map((name) => (
            <Person key={name} name={name} />
          ))}
          <Person name="CI" isProgram />
          <Avatar name="Sam Okafor" />
          <Tag>checkout</Tag>
        </Line>
        <Line isWide>
          <span>text</span>
          <Note tone="muted">muted</Note>
          <Note tone="faint">faint</Note>
          <Note tone="good">good</Note>
          <Note tone="warn">warn</Note>
          <Note tone="bad">bad</Note>
        </Line>
      </Stack>
    </Card>
  );
}

function Lists() {
  return (
    <>
      <DataList
        label="Flags"
        rows={['checkout-layout', 'guest-checkout', 'x'.repeat(120)]}
        rowId={(row) => row}
        columns={[
          { id: 'key', label: 'Key', isMain: true, cell: (row) => <code>{row}</code> },
          { id: 'state', label: 'State', cell: () => <Badge>Off</Badge> },
          { id: 'count', label: 'Evaluated', isNumber: true, cell: () => '1.9 M' },
        ]}
        count="3 flags"
        empty={null}
      />
      <Card title="Loading, empty, facts">
        <Stack>
          <Skeleton />
          <EmptyState icon="flag" title="Your first flag">
            A flag is a switch in your app that you can turn here, without a new release.
          </EmptyState>
          <ProgressBar label="Reading 5,000 flags" value={64} note="3,200 so far" />
          <Facts
            facts={[
              ['Ends', 'Tue 1 Dec, 09:00'],
              ['Set by', 'Mara Lindqvist'],
            ]}
          />
        </Stack>
      </Card>
    </>
  );
}
