// A toast has one of these roles too, but is not over the page.
const MODAL = ':is([role=dialog], [role=alertdialog]):not([aria-modal=false])';
const PARTS = 'section, main';
const HEADINGS = 'h1, h2, h3';

/**
 * Gives the focus a new place when what had it is gone: the open dialog, or the heading of the part of the page where
 * the person was. Without this, the next key of a person without a mouse begins at the top of the page, and Escape does
 * not close a dialog.
 */
export function keepFocus(): void {
  let last: HTMLElement | undefined;
  /** The parts of the page around the last control that had the focus there, the smallest first. */
  let parts: readonly Element[] = [];
  let isWaiting = false;

  const remember = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement)) return;
    last = target;
    if (target.closest('main') !== null) parts = partsAround(target);
  };
  const forget = (): void => {
    last = undefined;
  };
  const isLost = (): boolean => {
    // A control that was just disabled still counts as active for a moment.
    const { activeElement: active, body } = document;
    return last !== undefined && isGone(last) && (active === body || active === last);
  };
  const mend = (): void => {
    // A page that is loading has no heading yet, and a dialog that is about to go takes no focus: then the next mutation
    // tries again.
    if (isLost()) placeFor(parts)?.focus({ preventScroll: true });
  };
  const wait = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    afterTwoFrames(() => {
      isWaiting = false;
      // A dialog that closes gives the focus back in the next frame.
      if (isLost()) afterTwoFrames(mend);
    });
  };

  const observer = new MutationObserver(wait);
  const watched = { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] };
  observer.observe(document.body, watched);
  document.addEventListener('focusin', remember);
  // A press beside all controls takes the focus away on purpose.
  document.addEventListener('pointerdown', forget, true);
}

function afterTwoFrames(run: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(run));
}

function partsAround(element: Element): readonly Element[] {
  const part = element.closest(PARTS);
  return part === null ? [] : [part, ...partsAround(part.parentElement!)];
}

const isGone = (element: HTMLElement): boolean =>
  !element.isConnected || element.matches(':disabled') || !element.checkVisibility();

function placeFor(parts: readonly Element[]): HTMLElement | undefined {
  const modal = [...document.querySelectorAll<HTMLElement>(MODAL)].at(-1);
  if (modal !== undefined) return modal;
  const around = [...parts.filter(({ isConnected }) => isConnected), document.body];
  const place = around.map(nameOf).find((one) => one !== undefined);
  if (place !== undefined) place.tabIndex = -1;
  return place;
}

/** What a screen reader reads for a part of the page: its heading, or the part if its label names it. */
function nameOf(part: Element): HTMLElement | undefined {
  const heading = part.querySelector<HTMLElement>(HEADINGS);
  return heading ?? (part.hasAttribute('aria-label') ? (part as HTMLElement) : undefined);
}
