import { AccountFrame } from '../app/account/account-frame.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { t } from './messages.ts';

/** In the place of a page whose link has no token: it was cut, or the page was reloaded. */
export function NoToken() {
  return (
    <AccountFrame title={t.noToken.title} intro={t.noToken.text}>
      <ButtonLink href="/signin" isWide>
        {t.backToSignIn}
      </ButtonLink>
    </AccountFrame>
  );
}
