/**
 * Migrations that take away what an older version uses: they drop, rename or tighten it. Each names the migration by
 * which the version before stopped using it. A version that does not know that one no longer starts. After any other
 * migration, older versions still run.
 */
export type Contractions = Readonly<Record<string, string>>;

export const CONTRACTIONS: Contractions = {};
