import { lazy, type ReactElement, Suspense, useRef, useState } from 'react';
import { ButtonContext } from 'react-aria-components';
import type { MenuGroup } from './menu-entry.ts';

// The list is loaded when a pointer or the focus comes near the first menu.
const load = () => import('./menu-list.tsx');
const MenuList = lazy(async () => ({ default: (await load()).MenuList }));

/** A button that opens a list of actions. The child is the button; `label` names the list. */
export function Menu(props: {
  readonly label: string;
  readonly groups: readonly MenuGroup[];
  readonly children: ReactElement;
}) {
  const { label, groups, children } = props;
  const trigger = useRef<HTMLButtonElement>(null);
  // Before the first opening: undefined. Afterwards the list stays, so that it can close with its motion.
  const [open, setOpen] = useState<{ readonly isOpen: boolean; readonly isByKey: boolean }>();
  const show = (isByKey: boolean): void => setOpen({ isOpen: true, isByKey });
  const hide = (): void => setOpen({ isOpen: false, isByKey: false });
  return (
    <>
      <ButtonContext.Provider
        value={{
          ref: trigger,
          'aria-haspopup': 'menu',
          'aria-expanded': open?.isOpen ?? false,
          onHoverStart: () => void load(),
          onFocus: () => void load(),
          onPress: ({ pointerType }) => show(pointerType === 'keyboard' || pointerType === 'virtual'),
          onKeyDown: ({ key }) => (key === 'ArrowDown' || key === 'ArrowUp') && show(true),
        }}
      >
        {children}
      </ButtonContext.Provider>
      {open && (
        <Suspense>
          <MenuList trigger={trigger} label={label} groups={groups} {...open} onClose={hide} />
        </Suspense>
      )}
    </>
  );
}
