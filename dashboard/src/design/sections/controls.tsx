import { useState } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Checkbox, RadioGroup, SegmentedControl, Switch } from '../../ui/choice.tsx';
import { Line, Stack } from '../../ui/layout.tsx';
import { Menu } from '../../ui/menu.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { ComboBox, Select } from '../../ui/select.tsx';
import { Card } from '../../ui/surface.tsx';
import { TagInput } from '../../ui/tag-input.tsx';
import { TextArea, TextField } from '../../ui/text-field.tsx';

const countries = [
  { id: 'NL', label: 'Netherlands', note: 'NL' },
  { id: 'BE', label: 'Belgium', note: 'BE' },
  { id: 'LU', label: 'Luxembourg', note: 'LU' },
] as const;

/** Everything that is pressed, typed or chosen. */
export function Controls() {
  return (
    <>
      <Buttons />
      <Fields />
      <Choices />
    </>
  );
}

function Buttons() {
  return (
    <Card title="Buttons">
      <Stack>
        <Line>
          <Button kind="main">Save 3 changes</Button>
          <Button>Discard</Button>
          <Button kind="quiet">Compare</Button>
          <Button kind="danger">Break glass for 30 min</Button>
          <Button kind="text">Undo</Button>
        </Line>
        <Line>
          <Button kind="main" isPending>
            Saving
          </Button>
          <Button isDisabled>Disabled</Button>
          <Button kind="main" whyNot="Production is frozen until Tue 1 Dec, 09:00">
            Save
          </Button>
          <Button kind="danger" isDisabled>
            Delete
          </Button>
        </Line>
        <Line>
          <Button isSmall icon="plus">
            Add rule
          </Button>
          <Button icon="download">Export</Button>
          <IconButton icon="copy" label="Copy" />
          <IconButton icon="close" label="Close" kind="plain" isSmall />
          <Menu
            label="More"
            groups={[
              {
                entries: [
                  { id: 'copy', label: 'Copy the key', icon: 'copy' },
                  { id: 'delete', label: 'Archive', isDanger: true },
                ],
              },
            ]}
          >
            <Button icon="menu">More</Button>
          </Menu>
        </Line>
      </Stack>
    </Card>
  );
}

function Fields() {
  const [text, setText] = useState('checkout');
  const [share, setShare] = useState(40);
  const [tags, setTags] = useState<readonly string[]>(['NL', 'BE', 'LU']);
  const [country, setCountry] = useState<string | undefined>('NL');
  return (
    <Card title="Fields">
      <Stack>
        <TextField label="Name" defaultValue="Checkout layout" help="People read this in the list." />
        <TextField label="Key" defaultValue="Pro" isMono error="The key has a capital letter." />
        <TextField label="Owner" placeholder="Nobody" isDisabled />
        <TextField label="Revision" defaultValue="18" isReadOnly />
        <TextArea label="Description" defaultValue="One page for the whole checkout." />
        <SearchField label="Search" value={text} onChange={setText} shortcut="/" />
        <NumberField label="Share" value={share} onChange={setShare} unit="%" minValue={0} maxValue={100} />
        <Select label="Country" options={countries} value={country as 'NL'} onChange={setCountry} />
        <ComboBox
          label="Country, by typing"
          options={countries}
          value={country as 'NL'}
          onChange={setCountry}
        />
        <TagInput label="is one of" values={tags} onChange={setTags} added={['LU']} />
      </Stack>
    </Card>
  );
}

function Choices() {
  const [isOn, setOn] = useState(true);
  const [minutes, setMinutes] = useState<'15' | '30' | '60'>('30');
  const [serve, setServe] = useState<'one' | 'split'>('split');
  return (
    <Card title="Choices">
      <Stack>
        <Line isWide>
          <Switch label="Staging" isOn={isOn} onChange={setOn}>
            Staging
          </Switch>
          <Switch label="Off" isOn={false} onChange={() => undefined}>
            Off
          </Switch>
          <Switch label="Frozen" isOn isDisabled onChange={() => undefined}>
            Frozen
          </Switch>
        </Line>
        <Line isWide>
          <Checkbox label="All" isSelected={false} isPartly onChange={() => undefined} />
          <Checkbox label="Checked" isSelected={isOn} onChange={setOn} />
          <Checkbox label="Disabled" isSelected isDisabled onChange={() => undefined} />
        </Line>
        <SegmentedControl
          label="For how long"
          value={minutes}
          onChange={setMinutes}
          choices={[
            { id: '15', label: '15 min' },
            { id: '30', label: '30 min' },
            { id: '60', label: '1 h' },
          ]}
        />
        <RadioGroup
          label="Serve"
          value={serve}
          onChange={setServe}
          choices={[
            { id: 'one', label: 'One variation', note: 'The same for everyone' },
            { id: 'split', label: 'A split', note: 'Same user, same answer' },
          ]}
        />
      </Stack>
    </Card>
  );
}
