import { ADAPTER_CHECKS, checkAdapter } from '../adapter/check-adapter.ts';
import { createRecorder } from '../report/recorder.ts';
import { loadSuite } from '../suite/suite.ts';
import { OUTPUT_OPTIONS, parseOptions, toOutputs } from './options.ts';
import { commandToRepeat, helloOf, openTarget, TARGET_OPTIONS } from './target.ts';

/** `adapter-check`: checks that the adapter itself works, before the SDK behind it is tested. */
export const adapterCheck = async (args: readonly string[]): Promise<number> => {
  const { values } = parseOptions(args, { ...OUTPUT_OPTIONS, ...TARGET_OPTIONS });
  const outputs = toOutputs(values);
  const suite = loadSuite();
  const { session, close } = await openTarget(values);
  try {
    const hello = await helloOf(session, values);
    const recorder = createRecorder(outputs, {
      suite,
      implementation: hello,
      planned: ADAPTER_CHECKS,
      partial: true,
      parts: ['adapter'],
      expectedFailures: [],
      repeat: () => commandToRepeat('adapter-check', values),
    });
    await checkAdapter(session, hello, recorder.caseDone);
    return recorder.end().good ? 0 : 1;
  } finally {
    await close();
  }
};
