import { encode } from 'uqr';
import styles from './second-factor.module.css';

/** Modules of white around the code, as scanners expect. */
const BORDER = 4;

/** A text as a QR code, drawn in the page: the secret goes to no other server. Dark on white in both themes. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: BORDER });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg className={styles.qr} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  );
}
