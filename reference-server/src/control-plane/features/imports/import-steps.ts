import type { Condition } from '@flagsvc/sdk-core';
import type { Warning } from '../../../http/warnings.ts';
import type { NewId } from '../../../storage/ids.ts';
import type { Actor } from '../../access/actor.ts';
import type { FlagState } from '../flags/flag-state.ts';
import type { ProjectSettings } from '../projects/project-settings.ts';
import type { DocumentEnvironment, DocumentSegment, ProjectDocument } from './document.ts';
import type { Loss } from './elsewhere/loss.ts';
import type { ImportError } from './import-errors.ts';

export const IMPORT_MODES = ['merge', 'replace', 'create_only'] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];

/** A document to import, and the project to import it into. */
export interface ImportRequest {
  readonly actor: Actor;
  readonly projectId: string;
  readonly mode: ImportMode;
  readonly document: ProjectDocument;
  /** What was lost in reading the document; as text, `code` or `code=subject`. */
  readonly notes: readonly (string | Loss)[];
  readonly at: string;
}

export interface PlanRequest extends ImportRequest {
  readonly project: ProjectState;
  readonly newId: NewId;
}

/** An environment that exists, or that the import will create. */
export interface ImportEnvironment {
  readonly id: string;
  readonly key: string;
  readonly type: string;
}

/** The project before the import. */
export interface ProjectState {
  readonly environments: readonly ImportEnvironment[];
  /** Keys of archived environments. An import cannot use them. */
  readonly archivedKeys: ReadonlySet<string>;
  readonly segments: readonly {
    readonly id: string;
    readonly key: string;
    readonly name: string;
    readonly description: string;
    readonly conditions: readonly Condition[];
    readonly included: readonly string[] | null;
    readonly excluded: readonly string[];
    readonly tags: readonly string[];
  }[];
  /** The state of each flag in each environment, by flag key and then by environment id. */
  readonly flags: ReadonlyMap<string, ReadonlyMap<string, FlagState>>;
  readonly settings: ProjectSettings;
  /** Keys of deleted flags that are still reserved. */
  readonly reservedKeys: ReadonlySet<string>;
}

export interface KeysByKind {
  readonly environments: readonly string[];
  readonly segments: readonly string[];
  readonly flags: readonly string[];
}

/** What an import would do, as the API shows it. */
export interface ImportPlan {
  readonly create: KeysByKind;
  readonly update: KeysByKind;
  readonly archive: KeysByKind;
  /** Items of the document that are already as declared; with `create_only`, all items that exist. */
  readonly unchanged: number;
  readonly errors: readonly ImportError[];
  readonly warnings: readonly Warning[];
}

/** What an import would do to one flag. */
export interface FlagStep {
  readonly kind: 'create' | 'update' | 'archive';
  readonly key: string;
  /** The states before the import, by environment id; empty when the flag is created. */
  readonly before: ReadonlyMap<string, FlagState>;
  readonly after: ReadonlyMap<string, FlagState>;
}

/** What an import would do, in the form in which it is applied. */
export interface ImportSteps {
  readonly summary: ImportPlan;
  readonly environments: readonly DocumentEnvironment[];
  readonly newSegments: readonly DocumentSegment[];
  readonly changedSegments: readonly { readonly id: string; readonly segment: DocumentSegment }[];
  readonly flags: readonly FlagStep[];
}
