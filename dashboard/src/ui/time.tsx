import { useEffect, useState } from 'react';
import { formatExact, formatMoment, formatRelative, toMs } from '../i18n/format-time.ts';

const TICK_MS = 15_000;

/** The present time in milliseconds, renewed every 15 seconds or as told. */
export function useNow(tickMs: number = TICK_MS): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, [tickMs]);
  return now;
}

/** An instant as time from now; the exact instant on hover. `kind="moment"` writes day and hour, in `zone` if given. */
export function Time(props: {
  readonly at: string;
  readonly kind?: 'relative' | 'moment';
  readonly zone?: string | undefined;
}) {
  const { at, kind = 'relative', zone } = props;
  const tick = useNow();
  // What happened since the last tick is not in the future.
  const now = toMs(at) > tick ? Date.now() : tick;
  return (
    <time dateTime={at} title={formatExact(at, zone)}>
      {kind === 'relative' ? formatRelative(at, now) : formatMoment(at, zone)}
    </time>
  );
}
