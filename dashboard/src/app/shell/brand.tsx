import { Link } from 'react-aria-components';
import { t } from '../messages.ts';
import styles from './frame.module.css';

export function Brand({ href }: { readonly href: string }) {
  return (
    <Link className={styles.brand} href={href}>
      <svg className={styles.mark} viewBox="0 0 22 22" aria-hidden="true">
        <rect width="22" height="22" rx="6" />
        <path d="M7 17V5.500h8.200L12.800 9l2.400 3.500H7" />
      </svg>
      {t.product}
    </Link>
  );
}
