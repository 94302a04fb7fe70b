import { useFewEnvironments } from '../app/scope/use-pinned.ts';
import { useScope } from '../app/scope/use-scope.ts';
import { EnvironmentBadge, EnvironmentMark } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icon.tsx';
import { Stack } from '../ui/layout.tsx';
import { Link } from '../ui/link.tsx';
import { ComboBox } from '../ui/select.tsx';
import { Time } from '../ui/time.tsx';
import styles from './flag.module.css';
import { FlagSwitch } from './flag-switch.tsx';
import { t } from './messages.ts';
import { noChange } from './rules/instructions.ts';
import { useEdit } from './rules/use-edit.ts';
import { ServingBar, ServingWords } from './serving.tsx';
import type { Place } from './use-flag.ts';
import { type Freeze, useFlagGlass, useFreeze } from './use-freeze.ts';
import { usePreview } from './use-preview.ts';

/** What users get in each environment, with the switch. The open one shows its rules below. */
export function EnvironmentCards(props: {
  readonly places: readonly Place[];
  readonly shown: Place;
  readonly onShow: (place: Place) => void;
}) {
  const { places, shown, onShow } = props;
  const few = useFewEnvironments();
  const cards = places.filter((place) => place === shown || few.includes(place.environment));
  const others = places.filter((place) => !cards.includes(place));
  return (
    <Stack>
      <div className={styles.environments}>
        {cards.map((place) => (
          <EnvironmentCard
            key={place.environment.id}
            place={place}
            isOpen={place.environment.id === shown.environment.id}
            onOpen={() => onShow(place)}
          />
        ))}
      </div>
      {others.length > 0 && <OtherEnvironments places={others} onShow={onShow} />}
    </Stack>
  );
}

/** Finds an environment of a project that has too many for a card each. */
function OtherEnvironments(props: {
  readonly places: readonly Place[];
  readonly onShow: (place: Place) => void;
}) {
  const { places, onShow } = props;
  return (
    <div className={styles.others}>
      <ComboBox
        label={t.card.others(places.length)}
        options={places.map(({ environment: { id, name: label, type } }) => ({
          id,
          label,
          mark: <EnvironmentMark type={type} />,
        }))}
        value={undefined}
        onChange={(id) => {
          const found = places.find(({ environment }) => environment.id === id);
          if (found) onShow(found);
        }}
      />
    </div>
  );
}

function EnvironmentCard(props: {
  readonly place: Place;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}) {
  const { place, isOpen, onOpen } = props;
  const { environment, flag } = place;
  const freeze = useFreeze(environment, flag);
  const glass = useFlagGlass(environment, flag);
  const { data: preview } = usePreview(place, isOpen ? [noChange(flag.enabled)] : []);
  const { name, type } = environment;
  const label = isOpen ? t.card.open(name) : freeze ? t.card.frozen(name) : name;
  return (
    <section
      className={classes(styles.environment, styles[type])}
      aria-label={label}
      data-open={isOpen || undefined}
    >
      <div className={styles.environmentHead}>
        <EnvironmentBadge environment={environment} />
        <FlagSwitch place={place} freeze={glass ? undefined : freeze} glass={glass} />
      </div>
      <p className={styles.serves}>
        <ServingWords place={place} />
      </p>
      <ServingBar place={place} preview={preview} />
      <div className={styles.environmentFoot}>
        {freeze ? <FreezeNote freeze={freeze} hasGlass={glass !== undefined} /> : <CardFacts place={place} />}
        {!isOpen && (
          <span className={styles.push}>
            <Button kind="text" onPress={onOpen} aria-label={t.card.showLabel(name)}>
              {t.card.show}
            </Button>
          </span>
        )}
      </div>
    </section>
  );
}

function CardFacts({ place }: { readonly place: Place }) {
  const { flag } = place;
  const { length: count } = useEdit(place).differences;
  return (
    <>
      <span>{t.card.revision(flag.revision)}</span>
      {count > 0 ? <span>{t.card.changes(count)}</span> : <Time at={flag.updated_at} />}
    </>
  );
}

function FreezeNote({ freeze, hasGlass }: { readonly freeze: Freeze; readonly hasGlass: boolean }) {
  const { hrefTo } = useScope();
  const notes = t.card.frozenNote;
  const note = freeze.mayDisable
    ? freeze.mayDecrease
      ? notes.both
      : notes.disable
    : freeze.mayDecrease
      ? notes.rollout_decrease
      : notes.all;
  return (
    <>
      <Icon name="snow" />
      <span>{hasGlass ? t.card.glassOpen : note}</span>
      {!hasGlass && <Link href={hrefTo('freezes', { 'break-glass': 'new' })}>{t.card.breakGlass}</Link>}
    </>
  );
}
