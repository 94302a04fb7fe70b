import { ApiError } from '../../../../http/errors.ts';

/** The user who sets the password. Attackers try the user's name and email first. */
export interface PasswordOwner {
  readonly email: string;
  readonly fullName?: string | null | undefined;
}

/** Refuses passwords that attackers try first. */
export interface PasswordPolicy {
  /** Throws PASSWORD_TOO_COMMON. `field` names the password in the body; default `password`. */
  require(password: string, owner: PasswordOwner, field?: string): Promise<void>;
}

/** Minimum length of a password, and of what remains of it without personal parts. */
const LENGTH_MIN = 8;
/** Minimum length of a personal part. Shorter parts of a name also occur in strong passwords. */
const PART_LENGTH_MIN = 4;
/** Maximum number of characters around a common word that do not make it strong, such as `2026!` in `Welcome2026!`. */
const PADDING_MAX = 6;
/** The longest repeated part that is detected: `abcabcabc` repeats 3 characters. */
const REPEATED_MAX = 4;

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

/** Accepts every password when `isOn` (`FLAGSVC_PASSWORD_BLOCKLIST`) is false (decisions/0031). */
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
  common: 'This password is on a list of common passwords, or close to one. Choose another one.',
  sequence: 'This password is a sequence or a repetition. Choose another one.',
  personal: `This password has fewer than ${LENGTH_MIN} characters besides parts of your name or email. Choose another one.`,
} as const;

/** Loaded on first use, because the list takes half a megabyte of memory. */
async function loadCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].map(String));
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** Detects a common word even if it contains lookalike characters, or has digits or signs around it. */
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
  return Array.from({ length: REPEATED_MAX }, (_, index) => codes.slice(0, index + 1)).some(
    (unit) =>
      codes.length >= 2 * unit.length && codes.every((code, index) => code === unit[index % unit.length]),
  );
}

/** Whether the password contains parts of the owner's name or email, and is too short without them. */
function isPersonal(password: string, { email, fullName }: PasswordOwner): boolean {
  const parts = fold(`${email} ${fullName ?? ''}`)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part.length >= PART_LENGTH_MIN)
    .sort((left, right) => right.length - left.length);
  const rest = parts.reduce((text, part) => text.replaceAll(part, ''), password);
  return rest.length < password.length && rest.length < LENGTH_MIN;
}
