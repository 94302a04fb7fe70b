import { ApiError } from '../../../../http/errors.ts';

/** Whose password it is to be: what others know of them is tried first. */
export interface PasswordOwner {
  readonly email: string;
  readonly fullName?: string | null | undefined;
}

/** Refuses passwords that are guessed first. */
export interface PasswordPolicy {
  /** `field` is where the password stands in the body. Throws PASSWORD_TOO_COMMON. */
  require(password: string, owner: PasswordOwner, field?: string): Promise<void>;
}

/** As many as a password has to have. */
const LENGTH_MIN = 8;
/** Shorter parts of names are in many good passwords. */
const PART_LENGTH_MIN = 4;
/** What is put before or behind a common word, such as the `2026!` of `Welcome2026!`. */
const PADDING_MAX = 6;
/** Of a text such as `abcabcabc`. */
const UNIT_MAX = 4;

const LOOKALIKES: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
};

/** Which passwords are refused when a list is asked for (`FLAGSVC_PASSWORD_BLOCKLIST`); decisions/0031. */
export function createPasswordPolicy({ isOn }: { readonly isOn: boolean }): PasswordPolicy {
  let loading: Promise<ReadonlySet<string>> | undefined;
  return {
    async require(password, owner, field = 'password') {
      if (!isOn) return;
      loading ??= loadCommon();
      const folded = fold(password);
      const reason = isCommon(folded, await loading)
        ? 'common'
        : isSequence(folded)
          ? 'sequence'
          : isPersonal(folded, owner)
            ? 'personal'
            : undefined;
      if (reason === undefined) return;
      throw new ApiError('PASSWORD_TOO_COMMON', { message: MESSAGES[reason], details: { field, reason } });
    },
  };
}

const MESSAGES = {
  common: 'This password, or one much like it, is among those that are tried first. Choose another one.',
  sequence: 'This password repeats itself or counts. Choose another one.',
  personal: `This password has fewer than ${LENGTH_MIN} characters besides parts of your name or e-mail. Choose another one.`,
} as const;

/** Half a megabyte that only installations that want it have in memory. */
async function loadCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].map(String));
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Also with lookalikes for letters, and with a few digits or signs around it. */
function isCommon(password: string, common: ReadonlySet<string>): boolean {
  const forms = [password, password.replace(/[@431!0$57]/g, (sign) => LOOKALIKES[sign]!)];
  return forms.some((form) => {
    if (common.has(form)) return true;
    const core = form.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
    return form.length - core.length <= PADDING_MAX && common.has(core);
  });
}

/** `abcdefgh`, `87654321`, `aaaaaaaa`, `abcabcabc`. */
function isSequence(password: string): boolean {
  const codes = Array.from(password, (character) => character.codePointAt(0)!);
  const steps = new Set(codes.slice(1).map((code, index) => code - codes[index]!));
  const [step] = steps;
  if (steps.size === 1 && Math.abs(step!) <= 1) return true;
  return Array.from({ length: UNIT_MAX }, (_, index) => codes.slice(0, index + 1)).some(
    (unit) =>
      codes.length >= 2 * unit.length && codes.every((code, index) => code === unit[index % unit.length]),
  );
}

/** Whether too little is left without what is in the owner's name and e-mail. */
function isPersonal(password: string, { email, fullName }: PasswordOwner): boolean {
  const parts = fold(`${email} ${fullName ?? ''}`)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part.length >= PART_LENGTH_MIN)
    .sort((left, right) => right.length - left.length);
  const rest = parts.reduce((text, part) => text.replaceAll(part, ''), password);
  return rest.length < password.length && rest.length < LENGTH_MIN;
}
