import { lazy, Suspense } from 'react';
import { readText, type SearchParams, useSearchState } from '../../app/navigation/use-search-state.ts';
import { Button } from '../../ui/button.tsx';
import type { Names } from '../rules/rule-sentence.tsx';
import { type Place, useFlag, usePlaces } from '../use-flag.ts';
import { t } from './messages.ts';
import type { Pair } from './use-promotion.ts';

const CompareDialog = lazy(async () => ({ default: (await import('./compare-dialog.tsx')).CompareDialog }));

const BETWEEN = '..';

/** `staging..production` in the address, so that a comparison can be sent as a link. */
const parse = (raw: SearchParams): { readonly compare: string | undefined } => ({
  compare: readText(raw['compare']),
});

/** Opens the comparison of the shown environment with its neighbour. */
export function CompareButton({ place, names }: { readonly place: Place; readonly names: Names }) {
  const { places } = usePlaces(useFlag().query.data ?? []);
  const [{ compare }, setSearch] = useSearchState(parse);
  if (places.length < 2) return null;
  const open = (pair: Pair) =>
    setSearch({ compare: [pair.source, pair.target].map((one) => one.environment.key).join(BETWEEN) });
  const pair = pairOf(compare, places);
  return (
    <>
      <Button kind="text" onPress={() => open(neighbours(places, place))}>
        {t.open}
      </Button>
      {pair && (
        <Suspense>
          <CompareDialog
            places={places}
            pair={pair}
            names={names}
            onPair={open}
            onClose={() => setSearch({ compare: undefined })}
          />
        </Suspense>
      )}
    </>
  );
}

function pairOf(text: string | undefined, places: readonly Place[]): Pair | undefined {
  const [source, target] = (text ?? '')
    .split(BETWEEN)
    .map((key) => places.find(({ environment }) => environment.key === key));
  return source && target && source !== target ? { source, target } : undefined;
}

/** From the shown environment to the next one; the last one gets from the one before. */
function neighbours(places: readonly Place[], place: Place): Pair {
  const at = places.findIndex(({ environment }) => environment.id === place.environment.id);
  const next = places[at + 1];
  return next === undefined
    ? { source: places[at - 1]!, target: places[at]! }
    : { source: places[at]!, target: next };
}
