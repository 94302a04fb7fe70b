import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take over 20 seconds, by path. If one of them started last, all other cores would wait for it. */
const SLOW =
  /\/(run-scenario|authoring|commands\/cli|cli\/cli|hostile-values|bodies\/fuzz|slow-senders|differential|main|start|launchers|guide|packages-readme|process-exit)\.test\.ts$/;

/** Starts slow files first. Vitest alone starts large files first, until it has durations from an earlier run. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
