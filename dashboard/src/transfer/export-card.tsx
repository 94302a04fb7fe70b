import { useState } from 'react';
import { useChange } from '../app/changes/use-change.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { useServices } from '../app/services.ts';
import { EnvironmentMark } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorState } from '../ui/error-state.tsx';
import { Note, Stack } from '../ui/layout.tsx';
import { type Option, Select } from '../ui/select.tsx';
import { Card, Notice } from '../ui/surface.tsx';
import { showToast } from '../ui/toast.tsx';
import { type ExportFormat, exportProject, type Loss } from './export-project.ts';
import { t } from './messages.ts';
import styles from './transfer.module.css';

const words = t.export;
const ALL = '';
const FORMATS: readonly ExportFormat[] = ['yaml', 'json', 'flagd'];

/** Downloads the project, and says what a file has and has not. */
export function ExportCard() {
  const form = useExport();
  return (
    <Card title={words.title}>
      <Stack>
        <Stack gap="close">
          <p>{words.has}</p>
          <Note tone="muted">{words.hasNot}</Note>
        </Stack>
        <div className={styles.row}>
          <Select
            label={words.format}
            options={FORMATS.map((id) => ({ id, label: words.formats[id] }))}
            value={form.format}
            onChange={form.setFormat}
          />
          <Select
            label={words.environment}
            options={form.environments}
            value={form.environment}
            onChange={form.setEnvironment}
          />
          <Button icon="download" onPress={form.send} isPending={form.isPending}>
            {words.action}
          </Button>
        </div>
        {form.problem && <ErrorState problem={form.problem} onRetry={form.send} />}
        {form.losses.length > 0 && <Losses losses={form.losses} />}
      </Stack>
    </Card>
  );
}

function useExport() {
  const { project, environments } = useScope();
  const { session } = useServices();
  const [format, setFormat] = useState<ExportFormat>('yaml');
  const [chosen, setEnvironment] = useState(ALL);
  // A flagd file has one environment: the last is production.
  const environment = format === 'flagd' && chosen === ALL ? (environments.at(-1)?.key ?? ALL) : chosen;
  const all: readonly Option[] = format === 'flagd' ? [] : [{ id: ALL, label: words.all }];
  const change = useChange({
    send: async () => {
      const place = environment === ALL ? '' : `-${environment}`;
      const fileName = `${project.key}${place}.${format === 'yaml' ? 'yaml' : 'json'}`;
      const environmentKey = environment === ALL ? undefined : environment;
      const losses = await exportProject(session, {
        projectId: project.id,
        format,
        environmentKey,
        fileName,
      });
      return { fileName, losses };
    },
    outdates: ['audit'],
    onSaved: ({ fileName }) => showToast(words.done(fileName)),
  });
  return {
    format,
    setFormat: (next: ExportFormat) => {
      setFormat(next);
      change.reset();
    },
    environment,
    setEnvironment: (next: string) => {
      setEnvironment(next);
      change.reset();
    },
    environments: [
      ...all,
      ...environments.map(({ key, name, type }) => ({
        id: key,
        label: name,
        mark: <EnvironmentMark type={type} />,
      })),
    ],
    isPending: change.state === 'saving',
    problem: change.problem,
    losses: change.output?.losses ?? [],
    send: () => void change.save(undefined),
  };
}

function Losses({ losses }: { readonly losses: readonly Loss[] }) {
  const kinds = [...new Set(losses.map(({ kind }) => kind))];
  return (
    <Notice tone="warn" title={words.lossTitle(losses.length)}>
      {words.loss}
      <span className={styles.losses}>
        {kinds.map((kind) => (
          <details key={kind}>
            <summary>
              {words.losses[kind] ?? kind}: {losses.filter((loss) => loss.kind === kind).length}
            </summary>
            <code>
              {losses
                .filter((loss) => loss.kind === kind)
                .map(({ subject }) => subject)
                .join(', ')}
            </code>
          </details>
        ))}
      </span>
    </Notice>
  );
}
