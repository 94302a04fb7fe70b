import type { Member } from '../api/types.ts';
import type { Places } from '../app/rights/use-places.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { InviteDialog, LinkDialog, ResendDialog, RevokeDialog } from './invite-dialogs.tsx';
import type { MemberSearch } from './member-search.ts';
import { t } from './messages.ts';
import { RemoveDialog } from './remove-dialog.tsx';
import { ResetFactorDialog } from './reset-factor-dialog.tsx';
import { type Invitation, isLastAdmin, type MadeInvitation } from './use-members.ts';

/** The dialog that the address names, or the link of an invitation that was just made. */
export function MemberDialogs(props: {
  readonly search: MemberSearch;
  readonly members: readonly Member[];
  readonly invitations: readonly Invitation[] | undefined;
  readonly places: Places;
  readonly made: MadeInvitation | undefined;
  readonly onMade: (made: MadeInvitation | undefined) => void;
  readonly onClose: () => void;
}) {
  const { search, members, invitations, places, made, onMade, onClose } = props;
  const what = search.do;
  if (made !== undefined) return <LinkDialog made={made} onClose={() => onMade(undefined)} />;
  if (what === undefined) return null;
  const onSent = (invitation: MadeInvitation): void => {
    onMade(invitation);
    onClose();
  };
  if (what === 'invite') return <InviteDialog places={places} onMade={onSent} onClose={onClose} />;
  if (what === 'resend' || what === 'revoke') {
    const invitation = invitations?.find(({ id }) => id === search.invitation);
    if (invitations === undefined) return null;
    if (invitation === undefined)
      return <Gone title={t.invitation.goneTitle} text={t.invitation.goneText} onClose={onClose} />;
    return what === 'resend' ? (
      <ResendDialog invitation={invitation} onMade={onSent} onClose={onClose} />
    ) : (
      <RevokeDialog invitation={invitation} onClose={onClose} />
    );
  }
  const member = members.find(({ id }) => id === search.member);
  if (member === undefined) return <Gone title={t.edit.goneTitle} text={t.edit.goneText} onClose={onClose} />;
  const about = { member, isLast: isLastAdmin(member, members), onClose };
  if (what === 'edit') return <EditDialog {...about} places={places} />;
  return what === 'remove' ? <RemoveDialog {...about} /> : <ResetFactorDialog {...about} />;
}

function Gone(props: { readonly title: string; readonly text: string; readonly onClose: () => void }) {
  const { title, text, onClose } = props;
  return (
    <Dialog isOpen onClose={onClose} title={title} foot={<Button onPress={onClose}>{t.close}</Button>}>
      {text}
    </Dialog>
  );
}
