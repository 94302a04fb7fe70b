import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { NumberField } from './number-field.tsx';

/** A field from 1 to 90 whose owner ignores an empty one, as required fields do. */
function Days({ initial }: { readonly initial: number }) {
  const [days, setDays] = useState(initial);
  return (
    <NumberField
      label="Days"
      value={days}
      onChange={(next) => !Number.isNaN(next) && setDays(next)}
      minValue={1}
      maxValue={90}
    />
  );
}

const field = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Days' });

test('an emptied field can be typed into again, and shows the last number when it is left empty', async () => {
  render(<Days initial={30} />);
  await userEvent.clear(field());
  expect(field().value).toBe('');
  await userEvent.type(field(), '45');
  expect(field().value).toBe('45');
  await userEvent.clear(field());
  await userEvent.tab();
  expect(field().value).toBe('45');
});

test('a number out of bounds becomes the nearest bound when the field is left', async () => {
  render(<Days initial={30} />);
  await userEvent.type(field(), '0');
  await userEvent.tab();
  expect(field().value).toBe('90');
});

test('letters change nothing, and arrow keys count within the bounds', async () => {
  render(<Days initial={89} />);
  await userEvent.type(field(), 'x{Tab}');
  expect(field().value).toBe('89');
  await userEvent.type(field(), '{ArrowUp}{ArrowUp}');
  expect(field().value).toBe('90');
  await userEvent.type(field(), '{PageDown}{ArrowDown}');
  expect(field().value).toBe('79');
});

test.each([
  ['3.25', 3.25],
  ['3,25', 3.25],
  ['-0.5', -0.5],
  ['.5', 0.5],
  ['1,000.5', Number.NaN],
  ['1e3', Number.NaN],
  ['0x10', Number.NaN],
])('reads %s as %d', async (text, number) => {
  const onChange = vi.fn();
  render(<NumberField label="Days" value={Number.NaN} onChange={onChange} />);
  await userEvent.click(field());
  await userEvent.paste(text);
  expect(onChange).toHaveBeenLastCalledWith(number);
});
