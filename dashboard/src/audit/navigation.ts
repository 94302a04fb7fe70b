import { catalogue } from '../i18n/catalogue.ts';
import { en } from './navigation.en.ts';

/** The only texts of the feature that every page loads. */
export const t = catalogue({ en });
