import { catalogue } from '../../i18n/catalogue.ts';
import { en } from './messages.en.ts';

export const t = catalogue({ en });
