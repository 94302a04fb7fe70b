import { act, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test, vi } from 'vitest';
import { DataList } from './data-list.tsx';
import { Dialog, TypedConfirmation } from './dialog.tsx';
import { ConflictView, SaveBar } from './save-bar.tsx';
import { Select } from './select.tsx';
import { TagInput } from './tag-input.tsx';
import { TextField } from './text-field.tsx';
import { Time } from './time.tsx';
import { showToast, Toasts } from './toast.tsx';

const lines = [
  { id: 'country', what: 'Country', from: 'NL', to: 'NL, BE' },
  { id: 'split', what: 'Split', from: '40 %', to: '60 %' },
];

test('a dialog takes the focus, and gives it back when Escape closes it', async () => {
  function Page() {
    const [isOpen, setOpen] = useState(false);
    return (
      <>
        <button type="button" onClick={() => setOpen(true)}>
          Open
        </button>
        <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="New window">
          <TextField label="Name" />
        </Dialog>
      </>
    );
  }
  render(<Page />);
  await userEvent.click(screen.getByRole('button', { name: 'Open' }));
  const dialog = screen.getByRole('dialog', { name: 'New window' });
  expect(dialog.contains(document.activeElement)).toBe(true);
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Open' })));
});

test('Escape asks before a dialog with something typed closes, and goes on with it after Cancel', async () => {
  const onClose = vi.fn();
  render(
    <Dialog isOpen isStubborn onClose={onClose} title="New window" loss="The name is lost.">
      <TextField label="Name" autoFocus />
    </Dialog>,
  );
  await userEvent.type(screen.getByLabelText('Name'), 'Peak{Escape}');
  const question = await screen.findByRole('alertdialog', { name: 'Close anyway?' });
  within(question).getByText('The name is lost.');
  await userEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Name')));
  expect(onClose).not.toHaveBeenCalled();
  await userEvent.keyboard('{Escape}');
  await userEvent.click(await screen.findByRole('button', { name: 'Close' }));
  expect(onClose).toHaveBeenCalledOnce();
});

test('a dialog that must be answered stays when Escape is pressed', async () => {
  render(
    <Dialog isOpen title="Your session ended">
      <TextField label="Password" autoFocus />
    </Dialog>,
  );
  await userEvent.keyboard('{Escape}');
  screen.getByRole('dialog', { name: 'Your session ended' });
});

test('what cannot be undone needs the name of the thing', async () => {
  const onAction = vi.fn();
  render(
    <TypedConfirmation
      isOpen
      onClose={() => undefined}
      title="Delete"
      expected="checkout-v1"
      action="Delete it"
      onAction={onAction}
    >
      Its history is lost.
    </TypedConfirmation>,
  );
  await userEvent.type(screen.getByRole('textbox'), 'checkout{Enter}');
  expect(onAction).not.toHaveBeenCalled();
  await userEvent.type(screen.getByRole('textbox'), '-v1{Enter}');
  expect(onAction).toHaveBeenCalledOnce();
});

test('the save bar names each change, undoes one, and says why saving is not possible', async () => {
  const onUndo = vi.fn();
  const onSave = vi.fn();
  const bar = { lines, onUndo, onSave, onDiscard: () => undefined };
  const { rerender } = render(<SaveBar {...bar} />);
  await userEvent.click(screen.getByRole('button', { name: 'Undo: Split' }));
  expect(onUndo).toHaveBeenCalledWith(lines[1]);
  await userEvent.click(screen.getByRole('button', { name: 'Save 2 changes' }));
  expect(onSave).toHaveBeenCalledOnce();
  rerender(<SaveBar {...bar} whyNot="Production is frozen" />);
  await userEvent.click(screen.getByRole('button', { name: 'Save 2 changes' }));
  expect(onSave).toHaveBeenCalledOnce();
  rerender(<SaveBar {...bar} lines={[]} />);
  expect(screen.queryByRole('button')).toBeNull();
});

test('in a conflict, mine is chosen until theirs is, and only where both differ', async () => {
  const onSave = vi.fn();
  render(
    <ConflictView
      who="Aiko"
      fields={[
        { id: 'split', what: 'Split', theirs: { ...lines[1]!, to: '50 %' }, mine: lines[1]! },
        { id: 'country', what: 'Country', mine: lines[0]! },
      ]}
      onSave={onSave}
      onTakeTheirs={() => undefined}
    />,
  );
  const [theirs, mine] = screen.getAllByRole('radio');
  expect([theirs, mine]).toMatchObject([{ checked: false }, { checked: true }]);
  await userEvent.click(theirs!);
  await userEvent.click(screen.getByRole('button', { name: 'Save with these choices' }));
  expect(onSave).toHaveBeenCalledWith(new Set(['split']));
});

test('tags are typed, pasted, and taken back by keyboard', async () => {
  function Field() {
    const [values, setValues] = useState<readonly string[]>(['NL']);
    return <TagInput label="Countries" values={values} onChange={setValues} />;
  }
  render(<Field />);
  const field = screen.getByLabelText('Countries');
  await userEvent.type(field, 'BE{Enter}');
  await userEvent.click(field);
  await userEvent.paste('LU, DE');
  expect(['NL', 'BE', 'LU', 'DE'].every((tag) => screen.getByText(tag))).toBe(true);
  await userEvent.click(screen.getByRole('button', { name: 'Remove BE' }));
  expect(screen.queryByText('BE')).toBeNull();
});

test('a choice is made by keyboard', async () => {
  const onChange = vi.fn();
  render(
    <Select
      label="Country"
      options={[
        { id: 'NL', label: 'Netherlands' },
        { id: 'BE', label: 'Belgium' },
      ]}
      value="NL"
      onChange={onChange}
    />,
  );
  await userEvent.tab();
  await userEvent.keyboard('{ArrowDown}');
  expect(within(screen.getByRole('listbox')).getAllByRole('option')).toHaveLength(2);
  await userEvent.keyboard('{ArrowDown}{Enter}');
  expect(onChange).toHaveBeenCalledWith('BE');
});

test('a refused field says why and is tied to its message', () => {
  render(<TextField label="Key" error="The key has a capital letter." />);
  const field = screen.getByLabelText('Key');
  expect(field.getAttribute('aria-invalid')).toBe('true');
  const message = field
    .getAttribute('aria-describedby')!
    .split(' ')
    .map((id) => document.getElementById(id)?.textContent);
  expect(message.join('')).toContain('The key has a capital letter.');
});

test('a list says its order to screen readers and turns it by its header', async () => {
  const onChange = vi.fn();
  render(
    <DataList
      label="Keys"
      rows={['a']}
      rowId={(row) => row}
      columns={[{ id: 'name', label: 'Name', canSort: true, cell: (row) => row }]}
      sort={{ value: { column: 'name', isDown: false }, onChange }}
      empty={null}
    />,
  );
  expect(screen.getByRole('columnheader').getAttribute('aria-sort')).toBe('ascending');
  await userEvent.click(screen.getByRole('button', { name: 'Name' }));
  expect(onChange).toHaveBeenCalledWith({ column: 'name', isDown: true });
});

test('a list that is loaded whole finds its rows, once there are enough of them', async () => {
  const list = (rows: readonly string[]) => (
    <DataList
      label="Keys"
      rows={rows}
      rowId={(row) => row}
      textOf={(row) => row}
      columns={[{ id: 'name', label: 'Name', cell: (row) => row }]}
      count="all"
      empty={null}
    />
  );
  const { rerender } = render(list(['Web']));
  expect(screen.queryByRole('searchbox')).toBeNull();
  rerender(list(['Web', 'Mailer', 'Stock', 'Till', 'Search', 'Relay']));
  await userEvent.type(screen.getByRole('searchbox'), ' MAIL');
  expect(screen.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual(['Mailer']);
  screen.getByText('1 of 6');
  await userEvent.type(screen.getByRole('searchbox'), 'x');
  screen.getByText('Nothing fits');
  // The field stays when rows go while a person searches.
  rerender(list(['Web']));
  await userEvent.clear(screen.getByRole('searchbox'));
  screen.getByText('Web');
});

test('a message can be undone once', async () => {
  const undo = vi.fn();
  render(<Toasts />);
  showToast('3 changes saved', undo);
  await screen.findByText('3 changes saved');
  await userEvent.click(screen.getByRole('button', { name: 'Undo' }));
  expect(undo).toHaveBeenCalledOnce();
  await waitFor(() => expect(screen.queryByText('3 changes saved')).toBeNull());
});

test('a message leaves after its time, and the next undo takes the place of the last', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  try {
    render(<Toasts />);
    showToast('Banner is on', vi.fn());
    await screen.findByText('Banner is on');
    showToast('1 change saved', vi.fn());
    await screen.findByText('1 change saved');
    expect(screen.queryByText('Banner is on')).toBeNull();
    showToast('Copied');
    await screen.findByText('Copied');
    screen.getByText('1 change saved');
    await act(() => vi.advanceTimersByTimeAsync(10_000));
    expect(screen.queryByText('Copied')).toBeNull();
    screen.getByText('1 change saved');
    await act(() => vi.advanceTimersByTimeAsync(15_000));
    expect(screen.queryByText('1 change saved')).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

test('what happened since the clock last ticked is not in the future', async () => {
  vi.useFakeTimers({
    toFake: ['Date', 'setInterval', 'clearInterval'],
    now: Date.parse('2026-11-24T12:00:00Z'),
  });
  try {
    const { rerender } = render(<Time at="2026-11-24T11:59:00Z" />);
    screen.getByText(/^1\s?m(in)? ago$/);
    vi.setSystemTime(Date.parse('2026-11-24T12:00:10Z'));
    rerender(<Time at="2026-11-24T12:00:10Z" />);
    screen.getByText('now');
    rerender(<Time at="2026-11-24T13:00:10Z" />);
    screen.getByText(/^in 1\s?h/);
  } finally {
    vi.useRealTimers();
  }
});
