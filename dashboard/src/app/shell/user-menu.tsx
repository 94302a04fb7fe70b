import { Button } from 'react-aria-components';
import { Avatar } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useScope } from '../scope/use-scope.ts';
import { useSignOut } from '../session/use-sign-out.ts';
import { nextTheme, useTheme } from '../theme/theme.ts';
import styles from './frame.module.css';
import { t } from './messages.ts';

export function UserMenu() {
  const { me, role } = useScope();
  const signOut = useSignOut();
  const [theme, setTheme] = useTheme();
  const name = me.full_name || (me.email ?? me.id);
  return (
    <>
      <Menu
        label={t.account}
        groups={[{ entries: [{ id: 'leave', label: t.signOut, icon: 'leave', run: signOut }] }]}
      >
        <Button className={styles.who}>
          <Avatar name={name} />
          <span>
            <span className={styles.name}>{name}</span>
            <span className={styles.role}>{t.roles[role]}</span>
          </span>
        </Button>
      </Menu>
      <IconButton
        icon={theme === 'dark' ? 'moon' : 'sun'}
        label={t.theme[theme]}
        isSmall
        onPress={() => setTheme(nextTheme(theme))}
      />
    </>
  );
}
