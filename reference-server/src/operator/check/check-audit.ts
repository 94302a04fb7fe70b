import { findLeafFault } from '../../control-plane/write-gate/verify-leaf.ts';
import type { Database } from '../../storage/database.ts';
import { countOf } from '../command.ts';
import { type CheckResult, firstOf } from './check-result.ts';

const PAGE = 1_000;

/** Whether every audit entry still has the content and the hash with which it was written. */
export async function checkAudit(db: Database): Promise<CheckResult> {
  const faults: string[] = [];
  /** Entries without a hash that are newer than the first entry with one. */
  const bare: string[] = [];
  let hashed = 0;
  let old = 0;
  for (let last = ''; ; ) {
    const page = await db
      .selectFrom('audit_entries')
      .selectAll()
      .where('id', '>', last)
      .orderBy('id')
      .limit(PAGE)
      .execute();
    for (const row of page) {
      if (row.leaf_hash === null && row.content_json === null) {
        if (hashed === 0) old += 1;
        else bare.push(row.id);
        continue;
      }
      hashed += 1;
      const fault = findLeafFault(row);
      if (fault !== undefined) faults.push(`${row.id} (${row.action}): ${fault}`);
    }
    if (page.length < PAGE) break;
    last = page.at(-1)!.id;
  }
  return summarize({ faults, bare, hashed, old });
}

interface Found {
  readonly faults: readonly string[];
  readonly bare: readonly string[];
  readonly hashed: number;
  readonly old: number;
}

function summarize({ faults, bare, hashed, old }: Found): CheckResult {
  if (faults.length > 0) {
    const message = `${countOf(faults.length, 'audit entry').replace(/ys$/, 'ies')} changed after being written`;
    return { status: 'failed', message, details: firstOf(faults) };
  }
  if (bare.length > 0) {
    const message = `${bare.length} audit entries without a hash follow entries that have one; only an older version writes such entries`;
    return { status: 'warning', message, details: firstOf(bare) };
  }
  const older = old === 0 ? '' : `; ${old.toLocaleString('en')} older ones have no hash`;
  return {
    status: 'ok',
    message: `${hashed.toLocaleString('en')} audit entries have their hashes${older}`,
  };
}
