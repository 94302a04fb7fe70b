import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';
import type { VariationEdit } from '../details/shared.ts';
import { VariationEditor } from './variation-editor.tsx';

const fresh: VariationEdit = {
  id: 'new-1',
  key: 'variation-3',
  name: 'Variation 3',
  description: '',
  value: '',
};

function Editor({ saved, isUsed }: { readonly saved?: VariationEdit; readonly isUsed?: boolean }) {
  const [variation, setVariation] = useState(saved ?? fresh);
  return (
    <VariationEditor
      type="string"
      variation={variation}
      saved={saved}
      series={3}
      uses={{ defaults: '', words: isUsed ? ['1 rule serves it'] : [] }}
      isLast={false}
      onChange={(change) => setVariation({ ...variation, ...change })}
      onRemove={() => undefined}
    />
  );
}

async function name(text: string): Promise<string | undefined> {
  const field = screen.getByRole('textbox', { name: 'Name' });
  await userEvent.clear(field);
  await userEvent.type(field, text);
  return screen.queryByRole<HTMLInputElement>('textbox', { name: 'Key' })?.value;
}

test('the key of a new variation follows its name until somebody types another', async () => {
  render(<Editor />);
  expect(await name('Dark red')).toBe('dark-red');
  const key = screen.getByRole('textbox', { name: 'Key' });
  await userEvent.clear(key);
  await userEvent.type(key, 'crimson');
  expect(await name('Light red')).toBe('crimson');
});

test('the key stays when a rule serves the variation, and when it is saved', async () => {
  const { unmount } = render(<Editor isUsed />);
  expect(await name('Dark red')).toBe('variation-3');
  unmount();
  render(<Editor saved={{ ...fresh, id: 'variation-3' }} />);
  expect(await name('Dark red')).toBeUndefined();
});
