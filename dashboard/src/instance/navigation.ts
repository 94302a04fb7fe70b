import { catalogue } from '../i18n/catalogue.ts';
import { en } from './navigation.en.ts';

export const t = catalogue({ en });
