import type { ComponentType } from 'react';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/surface.tsx';
import { t } from '../messages.ts';
import { useFeatures } from './use-available-pages.ts';

/** The page, or in its place why this installation does not have it: an old link can still lead to it. */
export function behindCapability(Page: ComponentType, capability: string): ComponentType {
  return function PageBehindCapability() {
    const features = useFeatures();
    if (features === undefined) return null;
    if (features[capability]?.available !== false) return <Page />;
    return (
      <EmptyState
        isPage
        icon="lock"
        title={t.notHere.title}
        actions={<ButtonLink href="/settings/modes">{t.notHere.action}</ButtonLink>}
      >
        {t.notHere.text}
      </EmptyState>
    );
  };
}
