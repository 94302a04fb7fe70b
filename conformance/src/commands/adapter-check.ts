import { ADAPTER_CHECKS, checkAdapter } from '../adapter/check-adapter.ts';
import { createRecorder } from '../report/recorder.ts';
import { loadSuite } from '../suite/suite.ts';
import { OUTPUT_OPTIONS, parseOptions, toOutputs } from './options.ts';
import { greet, open, repeatOf, TARGET_OPTIONS } from './target.ts';

/** `adapter-check`: asks whether the adapter says what the SDK says, before the SDK is asked anything. */
export const adapterCheck = async (args: readonly string[]): Promise<number> => {
  const { values } = parseOptions(args, { ...OUTPUT_OPTIONS, ...TARGET_OPTIONS });
  const outputs = toOutputs(values);
  const suite = loadSuite();
  const { session, close } = await open(values);
  try {
    const hello = await greet(session, values);
    const recorder = createRecorder(outputs, {
      suite,
      implementation: hello,
      planned: ADAPTER_CHECKS,
      partial: true,
      parts: ['adapter'],
      expectedFailures: [],
      repeat: () => repeatOf('adapter-check', values),
    });
    await checkAdapter(session, hello, recorder.caseDone);
    return recorder.end().good ? 0 : 1;
  } finally {
    await close();
  }
};
