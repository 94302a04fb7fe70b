import type { Capabilities } from '../api/types.ts';
import { usePage } from '../app/navigation/use-page.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { Badge } from '../ui/badge.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Icon } from '../ui/icon.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { Card, Notice, PageHeader, Skeleton } from '../ui/surface.tsx';
import styles from './instance.module.css';
import { t } from './messages.ts';
import { useCapabilities } from './use-instance.ts';

const MODES = ['oss', 'saas', 'enterprise'] as const;
type Mode = (typeof MODES)[number];
const words = t.modes;

/** What the three modes of the server have, and what of it is here. */
export function ModesPage() {
  const { hrefTo } = useScope();
  usePage(words.title, [{ label: t.settings, href: hrefTo('settings') }]);
  const { capabilities, problem, retry } = useCapabilities();
  return (
    <>
      <PageHeader title={words.title} intro={words.intro} />
      {problem ? (
        <ErrorState problem={problem} onRetry={retry} />
      ) : capabilities === undefined ? (
        <Card>
          <Skeleton lines={8} />
        </Card>
      ) : (
        <Stack gap="far">
          {capabilities.mode === 'oss' && <Notice title={words.onlyOss}>{words.onlyOssText}</Notice>}
          {MODES.map((mode) => (
            <ModeCard key={mode} mode={mode} capabilities={capabilities} />
          ))}
        </Stack>
      )}
    </>
  );
}

function ModeCard({ mode, capabilities }: { readonly mode: Mode; readonly capabilities: Capabilities }) {
  const features = Object.entries(capabilities.features).filter(
    ([, { required_mode: required }]) => required === mode,
  );
  return (
    <Card
      title={words.names[mode]}
      end={capabilities.mode === mode && <Badge tone="info">{words.here}</Badge>}
    >
      <Stack>
        <Note tone="muted">{words.texts[mode]}</Note>
        <ul className={styles.features}>
          {features.map(([name, { available, reason }]) => (
            <li key={name}>
              <Note tone={available ? 'good' : 'faint'}>
                <Icon name={available ? 'check' : 'close'} />
              </Note>
              <span>
                <b>{words.features[name]?.[0] ?? name.replaceAll('_', ' ')}</b>{' '}
                {!available && (
                  <Note tone="faint" isSmall>
                    {reason === 'license' ? words.withLicence : words.missing}
                  </Note>
                )}
                <br />
                <Note tone="muted">{words.features[name]?.[1]}</Note>
              </span>
            </li>
          ))}
        </ul>
      </Stack>
    </Card>
  );
}
