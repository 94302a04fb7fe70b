import { type ReactNode, useState } from 'react';
import { Button, type ButtonKind, IconButton } from './button.tsx';
import { t } from './messages.ts';
import styles from './surface.module.css';

const SHOWN_MS = 2_000;

/** Copies a text and says that it did. Without `children` it is an icon. */
export function CopyButton(props: {
  readonly text: string;
  readonly label?: string;
  readonly kind?: ButtonKind;
  readonly onCopied?: () => void;
  readonly children?: ReactNode;
}) {
  const { text, label = t.copy, kind = 'plain', onCopied, children } = props;
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    onCopied?.();
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  if (children === undefined)
    return (
      <IconButton
        icon={isCopied ? 'check' : 'copy'}
        label={isCopied ? t.copied : label}
        isSmall
        onPress={() => void copy()}
      />
    );
  return (
    <Button isSmall kind={kind} icon={isCopied ? 'check' : 'copy'} onPress={() => void copy()}>
      {isCopied ? t.copied : children}
    </Button>
  );
}

/** Code or a value to copy. */
export function CodeBlock({ title, code }: { readonly title: string; readonly code: string }) {
  return (
    <figure className={styles.code}>
      <figcaption className={styles.codeHead}>
        <span>{title}</span>
        <CopyButton text={code}>{t.copy}</CopyButton>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and the keyboard must reach them. */}
      <pre tabIndex={0}>{code}</pre>
    </figure>
  );
}
